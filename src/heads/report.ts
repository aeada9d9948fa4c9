import type { CosignatureState } from '../../domain/audit/cosignatures.ts'
import type { StampDesk } from './stamp-desk.ts'
import type { WitnessDesk } from './witness-desk.ts'

/** The state of the witnesses, for `/readyz` and the metrics. */
export type HeadsReport = {
  /** Whether a witness has seen another history of this log, so that nothing is sealed. */
  readonly stopped: boolean
  readonly witnesses: readonly WitnessReport[]
  /** Undefined where nothing is stamped. */
  readonly stamp: StampReport | undefined
}

export type WitnessReport = {
  readonly name: string
  /**
   * `new`: it has not signed yet. `down`: the last try of this process failed. `refused`: it has seen another history.
   */
  readonly status: 'ok' | 'new' | 'down' | 'refused'
  /** Events in the newest head that it has signed; null before the first. */
  readonly size: number | null
  /** Seconds since it signed that. */
  readonly age: number | null
  /** Events of our newest head that it has not signed. */
  readonly behind: number
  readonly refusal: { readonly reason: 'larger' | 'parted'; readonly seen: number | null } | undefined
  readonly failure: string | undefined
}

type StampReport = {
  readonly size: number | null
  readonly age: number | null
  readonly failure: string | undefined
}

export const headsReport = (
  { checkpoints: [newest], witnesses, stamped }: CosignatureState,
  desks: readonly WitnessDesk[],
  stamps: StampDesk | undefined,
  now: Date,
): HeadsReport => {
  const ageOf = (at: string | undefined) =>
    at === undefined ? null : Math.max(0, (now.getTime() - Date.parse(at)) / 1_000)
  const reports = desks.map((desk): WitnessReport => {
    const { cosigned, refusal } = witnesses.find(({ witness }) => witness === desk.vkey) ?? {}
    const own = cosigned?.origin === newest?.origin ? cosigned : undefined
    const failure = desk.failure()
    return {
      name: desk.name,
      status: refusal ? 'refused' : failure ? 'down' : own ? 'ok' : 'new',
      size: own?.size ?? null,
      age: ageOf(own?.at),
      behind: (newest?.size ?? 0) - (own?.size ?? 0),
      refusal,
      failure,
    }
  })
  return {
    stopped: reports.some(({ status }) => status === 'refused'),
    witnesses: reports,
    stamp: stamps && { size: stamped?.size ?? null, age: ageOf(stamped?.at), failure: stamps.failure() },
  }
}
