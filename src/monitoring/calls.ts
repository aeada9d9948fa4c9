import { Counter, Histogram, type Registry } from 'prom-client'

/** A call as it was answered. */
export type AnsweredCall = {
  readonly method: string
  /** The path of the endpoint, with the names of its parameters; `none` where there is none. */
  readonly route: string
  readonly status: number
  readonly seconds: number
  /** The code of the refusal that it was answered with. */
  readonly refusal: string | undefined
  /** Whether a signed payment came with it. */
  readonly pays: boolean
  /** The word that a door has for what was wrong with a payment. */
  readonly paymentFault: string | undefined
  /** Whether it began a session. */
  readonly signsIn: boolean
}

/** Metrics of the calls that this process answers. */
export const callCounters = (registry: Registry): ((call: AnsweredCall) => void) => {
  const requests = new Histogram({
    name: 'daybook_http_request_seconds',
    help: 'Time to answer, by route and status',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
    registers: [registry],
  })
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter<L>({ name, help, labelNames, registers: [registry] })
  const refusals = counter('daybook_refusals_total', 'Calls that were refused, by the code of the refusal', ['code'])
  const caps = counter('daybook_cap_refusals_total', 'Payments that were refused because of a cap', ['cap'])
  const signIns = counter('daybook_sign_ins_total', 'Tries to sign in by what came of them', ['place', 'result'])
  const x402 = counter('daybook_x402_calls_total', 'Calls that brought a signed payment, by the answer', ['result'])
  for (const cap of new Set(Object.values(CAPS))) caps.inc({ cap }, 0)

  return (call) => {
    const { method, route, status, seconds, refusal, pays, paymentFault } = call
    requests.observe({ method, route, status: String(status) }, seconds)
    if (refusal !== undefined) refusals.inc({ code: refusal })
    const cap = CAPS[paymentFault ?? ''] ?? CAPS[refusal ?? '']
    if (cap) caps.inc({ cap })
    if (pays) x402.inc({ result: PAID[status] ?? (status < 500 ? 'refused' : 'failed') })
    const place = method === 'POST' ? SIGN_IN[route] : undefined
    if (place) signIns.inc({ place, result: signInOf(call) })
  }
}

/** The caps by the refusals, and the words of a door, that they are told by. */
const CAPS: Readonly<Record<string, string>> = {
  'per-debit-cap-exceeded': 'per-debit',
  'lifetime-cap-exceeded': 'lifetime',
  'cooldown-active': 'cooldown',
  'caller-limit-reached': 'per-caller',
  max_per_caller: 'per-caller',
}

const PAID: Readonly<Record<number, string>> = { 200: 'paid', 202: 'pending', 400: 'unreadable', 402: 'refused' }

/** Where people sign in, the second half too. */
const SIGN_IN: Readonly<Record<string, string>> = {
  '/sign-in': 'person',
  '/sign-in/confirm': 'person',
  '/dashboard/sign-in': 'member',
  '/dashboard/sign-in/confirm': 'member',
}

const signInOf = ({ status, signsIn }: AnsweredCall): string => {
  if (signsIn) return 'signed-in'
  if (status === 429) return 'limited'
  return status === 303 ? 'goes-on' : 'refused'
}
