import test from 'ava'
import type { Relayer } from '../../domain/gasless/relayer.ts'
import { termsOfTaking } from '../../domain/use-cases/gasless/take-authorization.ts'
import { memoryStore } from '../support/memory-store.ts'
import { fixedWorld } from '../support/world.ts'
import { flow as stillFlow } from './flow-setup.ts'
import { ACCOUNT, created, RES_ID, signed } from './samples.ts'

/** How long a signed payment has to hold when it is taken. */

test('N-42 a signed payment has to hold for three blocks of its network, for six seconds at least, and for an hour at most', async (t) => {
  const world = fixedWorld('timing')
  const relayers = new Map(['base', 'arb', 'eth'].map((network) => [network, {} as Relayer]))
  const flow = { ...stillFlow(memoryStore(), world), relayers }
  const sale = { ...created, accountId: ACCOUNT, resId: RES_ID, cap: null }
  const now = Math.floor(world.now().getTime() / 1_000)
  const isInTime = async (network: string, seconds: number) => {
    const authorization = { ...signed, network, validAfter: '0', validBefore: String(now + seconds) }
    const wish = { authorization, challengeId: undefined, exactly: false }
    // What comes after its timing is nobody's business here.
    const terms = await termsOfTaking(flow, sale, wish).catch(() => ({ fault: 'something else' }))
    return terms.fault !== 'valid-before'
  }
  for (const [network, least] of [
    ['base', 6],
    ['arb', 6],
    ['eth', 36],
  ] as const) {
    t.false(await isInTime(network, least - 1), network)
    t.true(await isInTime(network, least), network)
    t.true(await isInTime(network, 3_600), network)
    t.false(await isInTime(network, 3_601), network)
  }
})
