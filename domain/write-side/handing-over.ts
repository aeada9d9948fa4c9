import { OutcomeUnknown, type RecordedEvent } from '../kernel/ports.ts'
import { Refusal } from '../kernel/refusal.ts'
import { deciders, type LedgerEvent } from './deciders.ts'
import { fenceAgainst, SearchTooLong, seedOf, WrittenElsewhere } from './fence.ts'
import { type CommandMessage, DECLINED, type HomeAnswer } from './homes.ts'
import {
  type AnyDoorDecider,
  bytesOf,
  type CommandCall,
  type Decision,
  decideHere,
  type WriteContext,
} from './transact.ts'

/**
 * Both ends of a command that is handed over to the home of its stream. The process that was asked hands it over once
 * at most. When it does not hear what became of it, it decides by itself, on a state of which it knows that the home's
 * events are not in it; the home does the same the other way round. So at most one of them writes, however late the
 * other one is.
 */

/** Decides a command, at the home of its stream while races are lost for that, or else here. */
export const transact = async (context: WriteContext, call: CommandCall): Promise<Decision> => {
  const commandId = context.world.secret(16)
  let isHandedOver = false
  const elsewhere = async () => {
    const after = isHandedOver ? undefined : context.contention.revisionOf(call.stream)
    if (after === undefined) return undefined
    const { door, command, stream, data } = call
    const message: CommandMessage = { door, command, stream, data, cause: context.cause, commandId, after }
    const outcome = await handOver(context, call, message)
    isHandedOver = outcome !== 'not-asked'
    if (outcome === 'unknown') return fenceAgainst('home', context.world, message)
    return typeof outcome === 'string' ? undefined : outcome
  }
  try {
    return await decideHere(context, call, { commandId, author: 'asked', elsewhere })
  } catch (error) {
    if (!(error instanceof WrittenElsewhere)) throw error
    return writtenByHome(context, call, commandId, error)
  }
}

/** What becomes of a command that is offered to the home of its stream, and what that decided. */
type Handing = Decision | 'not-asked' | 'declined' | 'unknown'

/** Bytes that a command is taken to write until its home has said what it wrote: those of a usual event. */
const RESERVED_BYTES = 1_024

/** A caller without any allowance left is refused before anything is sent. */
const handOver = async (context: WriteContext, call: CommandCall, message: CommandMessage): Promise<Handing> => {
  const { allowance, contention, homes, lanes } = context
  const { counts } = contention
  allowance?.take(RESERVED_BYTES, call.decider.pays === true)
  const giveBack = () => allowance?.giveBack(RESERVED_BYTES)
  const asked = homes.handOver(message)
  if (!asked) {
    giveBack()
    return 'not-asked'
  }
  const answer = await asked.catch(() => undefined)
  giveBack()
  if (!answer) {
    counts.unknown++
    return 'unknown'
  }
  if (answer.outcome === 'declined') {
    counts.declined++
    return 'declined'
  }
  counts.decided++
  if (answer.outcome === 'refused') throw refusalOf(answer)
  const { state, position, revision, events } = answer
  lanes.appended(call.stream, revision)
  contention.arrived(call.stream, revision)
  charge(context, events)
  return { state, position, revision, events }
}

const charge = ({ allowance, cause }: WriteContext, events: readonly LedgerEvent[]): void => {
  if (events.length > 0) allowance?.take(bytesOf(events.map((event) => ({ ...event, cause }))), true)
}

/** What the home wrote for a command although its answer did not come. */
const writtenByHome = async (
  context: WriteContext,
  { decider, stream }: CommandCall,
  commandId: string,
  { first, attempt }: WrittenElsewhere,
): Promise<Decision> => {
  const { store, lanes, world } = context
  const written: RecordedEvent[] = []
  reading: for await (const page of store.read(stream, first.revision))
    for (const event of page) {
      if (event.id !== world.uuidFrom(seedOf(stream, commandId, 'home', attempt, written.length))) break reading
      written.push(event)
    }
  const { revision, position } = written.at(-1) ?? first
  const state = await lanes.after(decider, stream, Number(revision) + 1)
  const events = written.map(({ type, data }) => ({ type, data }) as LedgerEvent)
  charge(context, events)
  return { state, position, revision, events }
}

const refusalOf = ({ code, detail, retryAfterS, facts }: Extract<HomeAnswer, { outcome: 'refused' }>): Refusal =>
  // A limit always says how long to wait, and so it does after its way here.
  new Refusal(code as 'busy', detail, undefined, retryAfterS, facts)

/**
 * Decides a command as the home of its stream, for the process that was asked. Rejects with OutcomeUnknown when nobody
 * can say whether its events are in the log.
 */
export const decideForOther = async (context: WriteContext, message: CommandMessage): Promise<HomeAnswer> => {
  const call = callOf(message)
  if (!call) return DECLINED
  const { commandId } = message
  const fence = fenceAgainst('asked', context.world, message)
  try {
    const decision = await decideHere(context, call, { commandId, author: 'home', fence })
    context.contention.counts.forOthers++
    return { outcome: 'decided', ...decision }
  } catch (error) {
    if (error instanceof Refusal) {
      const { code, detail, retryAfterS, facts } = error
      return { outcome: 'refused', code, detail, retryAfterS, facts }
    }
    // Who asked has given up waiting and decided by itself, or soon will.
    if (error instanceof WrittenElsewhere || error instanceof SearchTooLong) return DECLINED
    throw error instanceof OutcomeUnknown ? error : new OutcomeUnknown('the home failed', { cause: error })
  }
}

/** Undefined for a command that this program does not have. */
const callOf = ({ door, command, stream, data }: CommandMessage): CommandCall | undefined => {
  if (!Object.hasOwn(deciders, door)) return undefined
  const decider = deciders[door as keyof typeof deciders] as unknown as AnyDoorDecider
  const isKnown = Object.hasOwn(decider.decide, command) && stream.startsWith(`${decider.category}-`)
  return isKnown ? { door, decider, command, stream, data } : undefined
}
