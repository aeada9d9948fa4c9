/** The commands that are measured; each yields one event of EVENT_BYTES of JSON. */
import type { Ledger } from '../../domain/write-side/ledger.ts'
import { type Flight, fly } from '../flight.ts'
import { ACCOUNTS, EVENT_BYTES } from '../sizes.ts'

/** The streams that the commands go to: many, one, or a new one each time. */
export type Target = 'spread' | 'hot' | 'new'
export type Drive = Flight & { readonly target: Target }

/** A driver of one process's ledger. It never begins the same work twice, so every command yields its event. */
export const commandsOf = (ledger: Ledger) => {
  let count = 0
  const charge = (account: string, source = 'bench') => ledger.creditAccount.charge(account, chargeOf(source, ++count))
  const create = () => {
    const id = String(++count)
    return ledger.transaction.create(`${process.pid}-${id}`, transactionOf(id))
  }
  return async ({ target, ...flight }: Drive) => {
    const per = ACCOUNTS / flight.inFlight
    const pieces = {
      spread: (lane: number, piece: number) => charge(`spread-${lane * per + (piece % per)}`),
      // Each lane has a source of its own: a booking that overtakes an earlier one of its source would leave that one
      // nothing to do.
      hot: (lane: number) => charge('hot', `bench-${lane}`),
      new: create,
    }
    return fly(flight, pieces[target])
  }
}

const chargeOf = (source: string, position: number) => {
  const rest = { amount: '1', reason: 'platform-fee', source, position: String(position) } as const
  return { ...rest, ref: padding({ ...rest, amount: '0', owed: '1', ref: '' }) }
}

const transactionOf = (id: string) => {
  const data = {
    accountId: 'acc_bench',
    challengeId: `ch_bench_${id}.eth`,
    resId: 'res_bench',
    externalReference: `res_bench.ch_bench_${id}.eth`,
    type: 'resource',
    title: '',
    cryptocurrency: 'eth',
    amount: '0.04',
    amountFiat: '100',
    currency: 'USD',
    hash: '0xab',
    payer: '0xcd',
    webhookUrl: null,
    test: false,
    createdAt: '2026-03-02T10:06:00.000Z',
  } as const
  return { ...data, title: padding(data) }
}

/** Text that brings the event's JSON to its size. */
const padding = (data: object) => 'x'.repeat(EVENT_BYTES - JSON.stringify(data).length)
