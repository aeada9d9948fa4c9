/**
 * VIES, the registry of the EU's VAT numbers: https://ec.europa.eu/taxation_customs/vies. It is often slow, and each
 * country's part fails by itself.
 */

import { z } from 'zod'
import type { Outbound } from '../../domain/kernel/ports.ts'
import { type Breaker, createBreaker } from '../chains/rpc/breaker.ts'
import { atMost } from '../timing/time-limit.ts'
import { createTurns } from '../timing/turns.ts'

/** Questions at the same time; VIES refuses a caller who asks more. */
const ASKED_AT_ONCE_MAX = 4
/** Questions that wait for their turn; for more there is no answer. */
const WAITING_MAX = 100
/** Milliseconds that a caller waits for an answer; one that comes later serves the next caller. */
const WAIT_MS = 2_500
/** Milliseconds for which an answer of VIES about a number holds: a day. */
const KEPT_MS = 24 * 3_600_000
/** Answers that are kept; the oldest makes room. */
const ANSWERS_KEPT_MAX = 10_000
/** After a failure a country's part is left alone for so long, twice as long each further time, up to a minute. */
const PAUSE_MS = 1_000
/** Characters of an answer, most of them a name and an address; a longer one is none. */
const ANSWER_CHARACTERS_MAX = 4_096

type ViesSettings = {
  readonly outbound: Pick<Outbound, 'post'>
  /** The base URL, without a slash at the end. */
  readonly base: string
  /** Milliseconds that only go forward. */
  readonly now?: () => number
  readonly waitMs?: number
  readonly pauseMs?: number
}

/** Asks VIES about a number; answers undefined when VIES does not tell now. */
export type Vies = { ask(number: string, requester: string | undefined): Promise<ViesAnswer | undefined> }

export const createVies = (settings: ViesSettings): Vies => {
  const { outbound, base, now = () => performance.now(), waitMs = WAIT_MS, pauseMs = PAUSE_MS } = settings
  const answers = new Map<string, { answer: ViesAnswer; since: number }>()
  const asking = new Map<string, Promise<ViesAnswer | undefined>>()
  const breakers = new Map<string, Breaker>()
  const inTurn = createTurns(ASKED_AT_ONCE_MAX, WAITING_MAX)

  const breakerOf = (country: string): Breaker => {
    const breaker = breakers.get(country) ?? createBreaker(pauseMs)
    breakers.set(country, breaker)
    return breaker
  }
  const keep = (key: string, answer: ViesAnswer) => {
    answers.delete(key)
    answers.set(key, { answer, since: now() })
    const [oldest] = answers.keys()
    if (oldest !== undefined && answers.size > ANSWERS_KEPT_MAX) answers.delete(oldest)
  }
  const post = async (number: string, requester: string | undefined) => {
    const { status, bodyHead } = await outbound.post(
      `${base}/check-vat-number`,
      bodyFor(number, requester),
      { accept: 'application/json' },
      ANSWER_CHARACTERS_MAX,
    )
    // VIES may say with status 400 what is wrong with a question.
    return status === 200 || status === 400 ? readViesAnswer(bodyHead, number) : undefined
  }
  const askNow = async (number: string, requester: string | undefined): Promise<ViesAnswer | undefined> => {
    const breaker = breakerOf(number.slice(0, 2))
    if (!breaker.isFree()) return undefined
    const call = breaker.begin()
    const first = await post(number, requester)
    // A seller whose own number VIES does not take still learns whether the other one is good.
    const answer = first === 'bad-requester' ? await post(number, undefined) : first
    if (answer === undefined || answer === 'bad-requester') {
      call.failed()
      return undefined
    }
    call.answered()
    return answer
  }

  const ask: Vies['ask'] = async (number, requester) => {
    const key = `${number} ${requester ?? ''}`
    const kept = answers.get(key)
    if (kept && now() - kept.since < KEPT_MS) return kept.answer
    const begin = async () => {
      try {
        const answer = await inTurn(() => askNow(number, requester))
        if (answer) keep(key, answer)
        return answer
      } finally {
        asking.delete(key)
      }
    }
    const question = asking.get(key) ?? begin()
    if (!asking.has(key)) asking.set(key, question)
    return atMost(waitMs, question)
  }
  return { ask }
}

/** The question to VIES and its answer: `POST /check-vat-number` of its REST interface (swagger_publicVAT.yaml). */

type ViesAnswer = { readonly valid: boolean; readonly name?: string; readonly consultation?: string }

/** With a requester, which is the seller, VIES gives a consultation number. */
const bodyFor = (number: string, requester: string | undefined): string => {
  const { countryCode, vatNumber } = parted(number)
  const asker = requester === undefined ? undefined : parted(requester)
  return JSON.stringify({
    countryCode,
    vatNumber,
    ...(asker && { requesterMemberStateCode: asker.countryCode, requesterNumber: asker.vatNumber }),
  })
}

/** Undefined for what is no answer about this number; VIES also says with status 200 that it cannot tell. */
const readViesAnswer = (text: string, number: string): ViesAnswer | 'bad-requester' | undefined => {
  const json = parsed(text)
  const fault = Fault.safeParse(json).data?.errorWrappers[0].error
  if (fault === 'INVALID_REQUESTER_INFO') return 'bad-requester'
  if (fault === 'INVALID_INPUT') return { valid: false }
  const said = Said.safeParse(json).data
  const { countryCode, vatNumber } = parted(number)
  if (said?.countryCode !== countryCode || said.vatNumber !== vatNumber) return undefined
  const { valid, name, requestIdentifier } = said
  return { valid, ...told('name', name), ...told('consultation', requestIdentifier) }
}

const Said = z.object({
  countryCode: z.string(),
  vatNumber: z.string(),
  valid: z.boolean(),
  name: z.string().nullish(),
  requestIdentifier: z.string().nullish(),
  /** Some of its interfaces say here that `valid` means nothing. */
  userError: z.enum(['VALID', 'INVALID']).nullish(),
})

const Fault = z.object({ actionSucceed: z.literal(false), errorWrappers: z.tuple([z.object({ error: z.string() })]) })

const parted = (number: string) => ({ countryCode: number.slice(0, 2), vatNumber: number.slice(2) })

/** Countries that keep a name to themselves write dashes. */
const told = <K extends string>(field: K, text: string | null | undefined): { readonly [F in K]?: string } =>
  text && !/^-+$/.test(text) ? ({ [field]: text } as { [F in K]: string }) : {}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
