import test, { type ExecutionContext } from 'ava'
import type { PaymentAtStake } from '../../domain/chains/second-voice.ts'
import { type TransferData, transferId } from '../../domain/selling/challenge-terms.ts'
import { bookTransfer } from '../../domain/use-cases/selling/settling/book-transfer.ts'
import { matchTransfer } from '../../domain/use-cases/selling/settling/match-transfer.ts'
import { recheckPayment } from '../../domain/use-cases/selling/settling/recheck-payment.ts'
import { everything, ledgerOn, newStore, runPolicies } from '../support/ledger.ts'
import { fixedWorld } from '../support/world.ts'
import { chain, codeOf } from './flow-setup.ts'
import { ACCOUNT, CHALLENGE_ID, entry, opened, SET_ID, transferData } from './samples.ts'

/** What waits for a second provider: when it is asked for, for how much, and what its silence changes. */

const USD = BigInt(opened.usd)
const asked = BigInt(entry.amount)
/** Deep enough for any challenge. */
const DEEP = 1_000

test('N-24 a payment that nobody else confirms waits as if it lacked confirmations, and settles once somebody does', async (t) => {
  const { store, ledger, types } = await sale(t)
  const book = (voices: number | undefined) =>
    bookTransfer(ledger, CHALLENGE_ID, transferData, DEEP, async () => voices)
  for (let tries = 0; tries < 2; tries++)
    t.like(await book(undefined), { outcome: 'pending', isEnough: true, confirmations: DEEP })
  t.is((await types()).filter((type) => type === 'PaymentDetected').length, 1)
  t.false((await types()).includes('TransferClaimed'))
  t.like(await book(3), { outcome: 'settled' })
  await runPolicies(store, ledger, fixedWorld('later'))
  const said = (await everything(store)).flatMap(({ type, data }) =>
    type === 'TransferClaimed' || type === 'ChallengeSettled' ? [(data as { voices?: number }).voices] : [],
  )
  t.deepEqual(said, [3, 3])
})

test('N-24 a process that dies between claim and settlement leaves how many said so', async (t) => {
  const { store, ledger } = await sale(t)
  await ledger.transfer.claim(transferId(transferData), {
    accountId: ACCOUNT,
    challengeId: CHALLENGE_ID,
    asset: 'eth',
    transfer: transferData,
    voices: 2,
  })
  await runPolicies(store, ledger, fixedWorld('later'))
  t.like((await everything(store)).find(({ type }) => type === 'ChallengeSettled')?.data, { voices: 2 })
})

test('N-24 a policy asks nobody: what needs a second voice it leaves to who reads the chain', async (t) => {
  const { ledger, types } = await sale(t)
  t.like(await bookTransfer(ledger, CHALLENGE_ID, transferData, DEEP, () => undefined), { outcome: 'pending' })
  const { tx, height, blockHash } = transferData
  const waiting = { challengeId: CHALLENGE_ID, transferId: transferId(transferData), tx, height, blockHash }
  const node = { ...chain(), transfersOf: async () => [{ ...transferData, amount: asked }] }
  const head = transferData.height + DEEP
  await recheckPayment(ledger, node, waiting, head, async () => undefined)
  t.false((await types()).includes('ChallengeSettled'))
  await recheckPayment(ledger, node, waiting, head, async () => 2)
  t.true((await types()).includes('ChallengeSettled'))
})

test('N-24 what is at stake is the price, also of a part of it, and more where more came', async (t) => {
  for (const [amount, usd] of [
    [asked, USD],
    [asked / 20n, USD],
    [(asked * 104n) / 100n, (USD * 104n) / 100n],
  ] as const) {
    const { ledger } = await sale(t)
    t.is((await stakeOf(ledger, { ...transferData, amount: String(amount) })).usd, usd)
  }
  const { ledger } = await sale(t)
  const half = { ...transferData, amount: String(asked / 2n) }
  await bookTransfer(ledger, CHALLENGE_ID, half, DEEP, () => 1)
  const rest = { ...transferData, tx: `0x${'ba'.repeat(32)}`, amount: String(asked) }
  const { usd, confirmations } = await stakeOf(ledger, rest)
  t.is(usd, (USD * 3n) / 2n)
  t.is(confirmations, entry.confirmations)
})

test('N-24 Q-55 what was set aside is matched by its seller only once a second provider has it', async (t) => {
  const { ledger } = await sale(t)
  const odd = { ...transferData, amount: String(asked * 3n) }
  await ledger.transfer.setAside(transferId(odd), {
    accountId: ACCOUNT,
    challengeId: null,
    asset: 'eth',
    reason: 'unmatched',
    transfer: odd,
  })
  const match = { accountId: ACCOUNT, transferId: transferId(odd), challengeId: CHALLENGE_ID, by: 'key' }
  const says = (voices: number | undefined) => ({ ledger, secondVoice: { known: () => 1, heard: async () => voices } })
  t.is(await codeOf(matchTransfer(says(undefined), match)), 'unavailable')
  t.is(await matchTransfer(says(2), match), 'settled')
  t.is(await matchTransfer(says(undefined), match), 'settled', 'what was matched is not asked about again')
})

const stakeOf = (ledger: Parameters<typeof bookTransfer>[0], transfer: TransferData): Promise<PaymentAtStake> =>
  new Promise((resolve, reject) => {
    bookTransfer(ledger, CHALLENGE_ID, transfer, DEEP, (payment) => {
      resolve(payment)
      return undefined
    }).catch(reject)
  })

const sale = async (t: ExecutionContext) => {
  const store = newStore(t)
  const ledger = ledgerOn(store, fixedWorld())
  await ledger.challenge.open(SET_ID, opened)
  return { store, ledger, types: async () => (await everything(store)).map(({ type }) => type) }
}
