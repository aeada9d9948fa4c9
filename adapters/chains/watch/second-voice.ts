import type { PaymentAtStake, SecondVoice } from '../../../domain/chains/second-voice.ts'
import type { Chain } from '../../../domain/kernel/ports.ts'
import { type TransferData, transferId } from '../../../domain/selling/challenge-terms.ts'

/**
 * Asks a second provider where one provider's word is not enough for a payment, and remembers which payments wait for
 * that: each is asked about again after a pause of its own, so that those which nobody confirms cost the others little.
 */
export type SecondVoices = SecondVoice & {
  /** Whether a payment's pause is not over yet: asking now would only say that it waits. */
  rests(transferId: string): boolean
  /** The payments that wait on a network, as far as this process has asked. */
  report(network: string): VoicesReport
}

export type VoicesReport = {
  /** Payments that providers contradict each other about, the oldest first, at most DISPUTED_SHOWN_MAX. */
  readonly disputed: readonly string[]
  readonly disputedCount: number
  /** Payments that no second provider has confirmed yet, the disputed ones included. */
  readonly waitingCount: number
}

export type SecondVoiceParts = {
  readonly chains: ReadonlyMap<string, Pick<Chain, 'voicesOf'>>
  /** Millionths of a US dollar: a payment of more needs a second voice. */
  readonly aboveUsd: bigint
  /**
   * Whether a smaller payment is one of the sample; the same in every process, and nothing that a provider could
   * foresee.
   */
  isSampled(transferId: string): boolean
  /** A monotonic clock, in milliseconds. */
  now?(): number
  readonly log: { warn(fields: object, message: string): void; error(fields: object, message: string): void }
}

/** Providers that have to say the same. */
const VOICES_MIN = 2
/** The first pause of a payment that waits; it doubles each time, up to one of these. */
const PAUSE_MS = 1_000
const SILENT_PAUSE_MAX_MS = 30_000
const DISPUTED_PAUSE_MAX_MS = 600_000
/** Contradictions of this age are an alarm; before, one provider may only be a moment behind another, or on a fork. */
const ALARM_AFTER_MS = 3_000
/** Milliseconds after which a payment that nobody asks about is forgotten: it was taken back, or settled elsewhere. */
const FORGOTTEN_AFTER_MS = 1_800_000
/** Payments remembered; beyond that the oldest are forgotten, and asked about without a pause. */
const WAITING_MAX = 10_000
const DISPUTED_SHOWN_MAX = 10

export const createSecondVoice = (parts: SecondVoiceParts): SecondVoices => {
  const { chains, aboveUsd, isSampled, now = () => performance.now(), log } = parts
  const waiting = new Map<string, VoiceWait>()
  const underWay = new Map<string, Promise<number | undefined>>()

  const known = ({ transfer, usd }: PaymentAtStake) =>
    chains.get(transfer.network)?.voicesOf && (usd > aboveUsd || aboveUsd === 0n || isSampled(transferId(transfer)))
      ? undefined
      : 1
  const rests = (id: string) => (waiting.get(id)?.until ?? 0) > now()
  const ask = async ({ transfer, confirmations }: PaymentAtStake): Promise<number | undefined> => {
    const id = transferId(transfer)
    const { network } = transfer
    const asked = await chains.get(network)?.voicesOf?.(asTransfer(transfer), confirmations)
    const { same = [], against = [] } = asked ?? {}
    const facts = { network, transfer: id, same, against }
    const before = waiting.get(id)
    if (against.length === 0 && same.length >= VOICES_MIN) {
      waiting.delete(id)
      if (before?.alarmed) log.warn(facts, 'providers agree on a payment again')
      return same.length
    }
    const next = waitingOn(network, before, against.length > 0, now())
    keep(waiting, id, next)
    if (against.length > 0 && next.alarmed)
      log.error(facts, 'providers contradict each other about a payment: it is not booked')
    return undefined
  }

  return {
    known,
    rests,
    async heard(payment) {
      const enough = known(payment)
      const id = transferId(payment.transfer)
      if (enough !== undefined || rests(id)) return enough
      const asking = underWay.get(id) ?? ask(payment).finally(() => underWay.delete(id))
      underWay.set(id, asking)
      return asking
    },
    report(network) {
      for (const [id, { until }] of waiting) if (until + FORGOTTEN_AFTER_MS < now()) waiting.delete(id)
      const own = [...waiting].filter(([, each]) => each.network === network)
      const disputed = own.flatMap(([id, { alarmed }]) => (alarmed ? [id] : []))
      return {
        disputed: disputed.slice(0, DISPUTED_SHOWN_MAX),
        disputedCount: disputed.length,
        waitingCount: own.length,
      }
    },
  }
}

type VoiceWait = {
  readonly network: string
  readonly pauseMs: number
  readonly until: number
  /** The time at which providers were first heard to contradict each other. */
  readonly contradictedAt: number | undefined
  readonly alarmed: boolean
}

const waitingOn = (network: string, before: VoiceWait | undefined, isContradicted: boolean, at: number): VoiceWait => {
  const contradictedAt = before?.contradictedAt ?? (isContradicted ? at : undefined)
  const alarmed = contradictedAt !== undefined && at - contradictedAt >= ALARM_AFTER_MS
  const longest = isContradicted ? DISPUTED_PAUSE_MAX_MS : SILENT_PAUSE_MAX_MS
  const pauseMs = before ? Math.min(before.pauseMs * 2, longest) : PAUSE_MS
  return { network, pauseMs, until: at + pauseMs, contradictedAt, alarmed: alarmed || before?.alarmed === true }
}

/** Keeps a payment at the place in the order that it had at first. */
const keep = (waiting: Map<string, VoiceWait>, id: string, next: VoiceWait): void => {
  waiting.set(id, next)
  const [oldest] = waiting.keys()
  if (waiting.size > WAITING_MAX && oldest !== undefined) waiting.delete(oldest)
}

const asTransfer = (transfer: TransferData) => ({ ...transfer, amount: BigInt(transfer.amount) })
