/** Names of two tenants and of nobody, and calls that give them. */
import type { ExecutionContext } from 'ava'
import fc from 'fast-check'
import type { Answer } from '../../../src/demo/client.ts'
import type { TestApp } from '../../support/app.ts'
import { cases } from '../../support/depth.ts'
import { freshAddress } from '../../support/seller.ts'
import { labelOf, type Operation, operations, parametersOf, written } from './declared.ts'
import type { Ids, Tenant } from './tenant.ts'
import { type Pool, wildCalls } from './wild.ts'

export const SEED = 7_402

export const poolOf = (app: TestApp, own: readonly Ids[], foreign: readonly Ids[]): Pool => {
  const ids = merged([...own, ...foreign, NOBODYS])
  return {
    ids,
    any: [...new Set(Object.values(ids).flat())],
    urls: [`${app.receiver.url}/any`, 'nope', 'http://127.0.0.1:1/'],
  }
}

const merged = (all: readonly Ids[]): Ids =>
  Object.fromEntries(
    [...new Set(all.flatMap((ids) => Object.keys(ids)))].map((name) => [name, all.flatMap((ids) => ids[name] ?? [])]),
  )

/** Of all its stores. */
export const everyName = ({ stores }: Tenant): Ids => merged(stores)

const NOBODYS: Ids = {
  res_id: [`res_${'a'.repeat(26)}`],
  transaction_id: ['4503599627370495'],
  checkout_id: ['77'],
  store_id: ['77'],
  lander_id: ['77'],
  offer_id: ['77'],
  subagent_id: ['77'],
  key_id: ['77'],
  code: ['nope'],
  external_reference: ['nope'],
}

/** Of the same form, and nobody's. */
const nobody = (id: string): string =>
  /^\d{1,3}$/.test(id)
    ? '77'
    : id.replace(/.{4}$/, (end) => ([...end].reverse().join('') === end ? '2345' : [...end].reverse().join('')))

type Stranger = {
  readonly key: string
  /** What it may name. */
  readonly own: readonly Ids[]
  /** What somebody else has of a name. */
  foreign(name: string): readonly string[]
  among?(e: Operation): boolean
}

/**
 * The same name as nobody has it. The transaction of a refund is looked up on its chain, which shows to everybody that
 * it is there, so that it is compared with one between strangers.
 */
const nobodysName = async (app: Pick<TestApp, 'anvil'>, e: Operation, name: string, id: string): Promise<string> => {
  const isRefund = e.when?.action === 'refund' || e.when?.function === 'refund'
  return name === 'hash' && isRefund ? app.anvil.send(freshAddress(), 1n) : nobody(id)
}

/**
 * Calls with each name that a call takes, of somebody else and of nobody: the answers are alike. Answers how many were
 * compared.
 */
export const sameAsNobodys = async (
  t: ExecutionContext,
  app: TestApp,
  { key, own, foreign, among = () => true }: Stranger,
): Promise<number> => {
  const pool = poolOf(app, own, [])
  const said = ({ status, json }: Answer) => [status, json?.error_code]
  let compared = 0
  for (const e of operations.filter((each) => each.auth === 'key' && among(each)))
    for (const { at, name } of parametersOf(e))
      for (const id of cases(foreign(name), 3)) {
        const [sample] = fc.sample(wildCalls(pool, 1, [e]), { numRuns: 1, seed: SEED })
        const as = async (named: string) => {
          const given = { query: sample?.query ?? {}, body: sample?.body ?? {} }
          const { method, path, ...options } = written(e, { ...given, [at]: { ...given[at], [name]: named } })
          return app.call(method, path, { ...options, key })
        }
        const other = await nobodysName(app, e, name, id)
        const [theirs, nobodys] = [await as(id), await as(other)]
        t.deepEqual(said(theirs), said(nobodys), `${labelOf(e)} ${name}=${id}: ${theirs.text}`)
        // A number may stand in words that say something else, which are the same for both.
        if (theirs.status !== 200 && theirs.text !== nobodys.text)
          t.is(theirs.text.replaceAll(id, '?'), nobodys.text.replaceAll(other, '?'))
        compared += 1
      }
  return compared
}
