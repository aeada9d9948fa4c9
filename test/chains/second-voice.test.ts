import test, { type ExecutionContext } from 'ava'
import { createSecondVoice } from '../../adapters/chains/watch/second-voice.ts'
import { voicesAmong } from '../../adapters/chains/watch/voices.ts'
import type { ChainVoices } from '../../domain/kernel/chain-voices.ts'
import { transferData } from '../domain/samples.ts'
import { evmByAddress, evmTestChain, startAnvil } from '../support/anvil.ts'
import { turns } from '../support/ledger.ts'
import { fakeNode } from './fake-node.ts'

/** When a second provider is asked, what its answers come to, and how often it is asked again. */

const DOLLAR = 1_000_000n
const large = { transfer: transferData, usd: 101n * DOLLAR, confirmations: 2 }
const small = { ...large, usd: 100n * DOLLAR }
const AGREE: ChainVoices = { same: [1, 2], against: [] }
const SPLIT: ChainVoices = { same: [2, 3], against: [1] }
const SILENT: ChainVoices = { same: [1], against: [] }

test('N-24 a second provider is asked above the sum, for the sample, and for everything where the sum is 0', async (t) => {
  const { voices, asked } = open(t)
  t.deepEqual([voices.known(large), voices.known(small)], [undefined, 1])
  t.deepEqual([await voices.heard(large), await voices.heard(small)], [2, 1])
  t.is(asked.length, 1)
  t.is(open(t, { isSampled: () => true }).voices.known(small), undefined)
  t.is(open(t, { aboveUsd: 0n }).voices.known({ ...small, usd: 0n }), undefined)
  const other = { ...large, transfer: { ...transferData, network: 'base' } }
  t.is(voices.known(other), 1, 'a network of one provider')
  t.is(await voices.heard(other), 1)
})

test('N-24 two have to say the same and none may contradict them, however many agree', async (t) => {
  for (const [said, heard] of [
    [AGREE, 2],
    [{ same: [1, 2, 3], against: [] }, 3],
    [SILENT, undefined],
    [SPLIT, undefined],
    [{ same: [], against: [] }, undefined],
  ] as const)
    t.is(await open(t, { says: () => said }).voices.heard(large), heard)
})

test('N-24 what waits is asked about after a pause that doubles, and rests meanwhile', async (t) => {
  for (const [said, longest] of [
    [SILENT, 30_000],
    [SPLIT, 600_000],
  ] as const) {
    const { voices, asked, step } = open(t, { says: () => said })
    const pauses: number[] = []
    for (let tries = 0; tries < 15; tries++) {
      t.is(await voices.heard(large), undefined)
      t.is(await voices.heard(large), undefined, 'nobody is asked meanwhile')
      t.is(asked.length, tries + 1)
      let pause = 0
      for (; voices.rests(asked[0] ?? ''); pause += 500) step(500)
      pauses.push(pause)
    }
    t.deepEqual(pauses.slice(0, 4), [1_000, 2_000, 4_000, 8_000])
    t.is(pauses.at(-1), longest)
    t.is(Math.max(...pauses), longest)
  }
})

test('N-24 a contradiction that stays is an alarm with the numbers of the providers, and ends when they agree', async (t) => {
  let said = SPLIT
  const { voices, lines, step } = open(t, { says: () => said })
  const look = async () => {
    await voices.heard(large)
    step(10_000)
  }
  await look()
  t.deepEqual(lines, [], 'one of them may only be a moment behind')
  t.like(voices.report('eth'), { disputedCount: 0, waitingCount: 1 })
  await look()
  const [id = ''] = voices.report('eth').disputed
  t.deepEqual(lines, [['error', { network: 'eth', transfer: id, ...SPLIT }]])
  t.like(voices.report('eth'), { disputedCount: 1, waitingCount: 1 })
  t.like(voices.report('base'), { disputedCount: 0, waitingCount: 0 })
  said = AGREE
  await look()
  t.is(lines.at(-1)?.[0], 'warn')
  t.deepEqual(voices.report('eth'), { disputed: [], disputedCount: 0, waitingCount: 0 })
})

test('N-24 what nobody asks about any more is forgotten, and so is the oldest of too many', async (t) => {
  const { voices, step } = open(t, { says: () => SILENT })
  await voices.heard(large)
  step(3_600_000)
  t.is(voices.report('eth').waitingCount, 0)
  for (let n = 0; n < 10_001; n++) await voices.heard({ ...large, transfer: { ...transferData, index: String(n) } })
  t.is(voices.report('eth').waitingCount, 10_000)
})

test('N-24 many who want to know of one payment at once share a question', async (t) => {
  const { voices, asked } = open(t)
  t.deepEqual(await Promise.all([voices.heard(large), voices.heard(large), voices.heard(large)]), [2, 2, 2])
  t.is(asked.length, 1)
})

test('N-24 two URLs of one host are one voice, by the place of the first', (t) => {
  const urls = ['https://a.test/1', 'https://b.test/k', 'https://u:p@a.test/2', 'http://a.test:81/']
  t.deepEqual(
    voicesAmong(urls).map(({ number, urls }) => [number, urls.length]),
    [
      [1, 2],
      [2, 1],
      [4, 1],
    ],
  )
})

test('N-24 a provider that hangs, is down, or serves another chain says nothing, within its time', async (t) => {
  const [anvil, other] = await Promise.all([startAnvil(), startAnvil({ chainId: 5 })])
  const hanging = await fakeNode(anvil.url, () => 'hang')
  t.teardown(() => Promise.all([anvil.stop(), other.stop(), hanging.close()]))
  const rpcUrls = [anvil.url, 'http://127.0.0.1:1', other.url, hanging.url]
  const chain = evmByAddress({ network: 'eth', chain: evmTestChain(anvil.chainId), rpcUrls, timeoutMs: 4_000 })
  const tx = await anvil.send(transferData.to, 5n)
  const [paid] = (await chain.transfersOf(tx)) ?? []
  if (!paid) return t.fail('no payment')
  t.deepEqual(await chain.voicesOf?.(paid, 1), { same: [1], against: [] })
  const before = hanging.calls.length
  t.deepEqual(await chain.voicesOf?.(paid, 1), { same: [1], against: [] })
  t.is(hanging.calls.length, before, 'one that failed a moment ago is not waited for')
})

/** Two providers on `eth` that say what they are told to; one on `base`. */
const open = (
  _: ExecutionContext,
  {
    says = () => AGREE,
    isSampled = () => false,
    aboveUsd = 100n * DOLLAR,
  }: { says?: () => ChainVoices; isSampled?: () => boolean; aboveUsd?: bigint } = {},
) => {
  let at = 0
  const asked: string[] = []
  const lines: [string, object][] = []
  const voicesOf = async ({ network, tx, index }: { network: string; tx: string; index: string }) => {
    asked.push(`${network}:${tx}:${index}`)
    await turns(1)
    return says()
  }
  const voices = createSecondVoice({
    chains: new Map([
      ['eth', { voicesOf }],
      ['base', {}],
    ]),
    aboveUsd,
    isSampled,
    now: () => at,
    log: {
      warn: (fields) => lines.push(['warn', fields]),
      error: (fields) => lines.push(['error', fields]),
    },
  })
  const step = (ms: number) => {
    at += ms
  }
  return { voices, asked, lines, step }
}
