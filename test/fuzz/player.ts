/** Plays requests by their numbers on one scene, and finds the smallest one like a request that failed. */
import fc from 'fast-check'
import type { EventStore } from '../../domain/kernel/ports.ts'
import { allOperations, labelOf, type Operation } from '../http/tenants/declared.ts'
import { faultOf, refusedId } from './oracle.ts'
import { asCurl, type Caller, type Sketch, sketches, type Wire, wireOf } from './requests.ts'
import type { Heard } from './send.ts'
import type { Scene } from './stage.ts'

/** What was sent, what came back, and what is wrong with it. */
export type Tried = {
  readonly n: number
  readonly label: string
  readonly wire: Wire
  readonly answer: Heard | undefined
  readonly fault: string | undefined
  /** Nothing was twisted, and its caller may do everything. */
  readonly plain: boolean
}

export type Fault = { readonly n: number; readonly what: string; readonly curl: string; readonly answer: string }

type Ways = { readonly store: EventStore; readonly origin: string; send(wire: Wire): Promise<Heard> }

/** Requests under way at once. */
const TOGETHER = 8
const SHRINKS_MAX_MS = 20_000
const ANSWER_SHOWN_MAX = 500

/** Events that a refusal may leave, all of them together and nothing else, and why nothing is half done by it. */
const BY_REFUSALS: Readonly<Record<string, string>> = {
  'SeatPaid SeatPaymentUnused CreditGranted': 'a seat was paid while its sub-key went away, and is given back',
  DomainLapsed: 'somebody asked whether a domain still names the app, and it does not',
}

/** What stands beside the endpoints. */
const BESIDE = [
  '/openapi.json',
  '/healthz',
  '/readyz',
  '/assets/daybook.css',
  '/dev/inbox.json',
  '/assets/nothing',
  '/nothing',
  '/oauth2/nothing',
  '/nothing.php',
]
export const PLAYED: readonly Operation[] = [
  ...allOperations,
  ...BESIDE.map(
    (path) => ({ method: 'get', path, auth: 'none', surface: 'agent', asks: {}, sends: {} }) as unknown as Operation,
  ),
]

export const createPlayer = (seed: number, { named, callers }: Scene, { store, origin, send }: Ways) => {
  const arbitraries = new Map<Operation, fc.Arbitrary<Sketch>>()
  const operationOf = (n: number) => PLAYED[n % PLAYED.length] as Operation
  const arbitraryOf = (n: number) => {
    const e = operationOf(n)
    const known = arbitraries.get(e) ?? sketches(e, named, callers)
    arbitraries.set(e, known)
    return known
  }
  const runOf = (n: number) => ({ seed: seed * 1_000_003 + n, numRuns: 1 })
  let tries = 0

  const attempt = async (n: number, sketch: Sketch): Promise<Tried> => {
    const e = operationOf(n)
    const caller = callers.find(({ name }) => name === sketch.caller) as Caller
    const made = wireOf(e, sketch, caller, origin)
    const wire = { ...made, headers: { 'x-request-id': `fuzz-${seed}-${n}-${++tries}`, ...made.headers } }
    const plain = sketch.twists.length === 0 && caller.full === true && caller.for.includes(e.auth)
    const told = { n, label: labelOf(e), wire, plain }
    try {
      const answer = await send(wire)
      return { ...told, answer, fault: faultOf(wire, answer) }
    } catch (error) {
      return { ...told, answer: undefined, fault: `no answer: ${(error as Error).message}` }
    }
  }

  /** Events after a position that calls have written, by what the calls were named. */
  const writtenBy = async (after: bigint, ids: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> => {
    const written = new Map<string, string>()
    for await (const page of store.readAll(after))
      for (const { type, cause } of page)
        if (ids.has(cause.correlationId))
          written.set(cause.correlationId, `${written.get(cause.correlationId) ?? ''} ${type}`)
    return written
  }

  /** A refusal writes nothing. */
  const withoutTrace = async (after: bigint, tried: readonly Tried[]): Promise<Tried[]> => {
    const idOf = ({ wire, answer }: Tried) => answer && refusedId(wire, answer)
    const written = await writtenBy(after, new Set(tried.flatMap((each) => idOf(each) ?? [])))
    return tried.map((each) => {
      const types = written.get(idOf(each) ?? '')
      return types === undefined || types.trim() in BY_REFUSALS || each.fault
        ? each
        : { ...each, fault: `it was refused, but wrote${types}` }
    })
  }

  return {
    /** Plays these numbers, some of them at a time. */
    async batch(numbers: readonly number[]): Promise<Tried[]> {
      const head = await store.head()
      const tried: Tried[] = []
      const waiting = [...numbers]
      const work = async () => {
        for (let n = waiting.shift(); n !== undefined; n = waiting.shift()) {
          const [sketch] = fc.sample(arbitraryOf(n), runOf(n)) as [Sketch]
          tried.push(await attempt(n, sketch))
        }
      }
      await Promise.all(Array.from({ length: TOGETHER }, work))
      return withoutTrace(head, tried)
    },

    /** The smallest request like this one that has a fault; what fails only among others is told as it was. */
    async smallest(first: Tried): Promise<Fault> {
      let told = first
      const holds = async (sketch: Sketch) => {
        const head = await store.head()
        const [tried] = await withoutTrace(head, [await attempt(first.n, sketch)])
        if (tried?.fault !== undefined) told = tried
        return tried?.fault === undefined
      }
      const limit = { interruptAfterTimeLimit: SHRINKS_MAX_MS, markInterruptAsFailure: false }
      await fc.check(fc.asyncProperty(arbitraryOf(first.n), holds), { ...runOf(first.n), ...limit })
      const { n, label, fault, wire, answer } = told
      const alone = told === first ? ' (among others)' : ''
      const heard = answer ? `${answer.status} ${answer.text.slice(0, ANSWER_SHOWN_MAX)}` : 'nothing'
      return { n, what: `${label}: ${fault}${alone}`, curl: asCurl(wire, origin), answer: heard }
    },
  }
}
