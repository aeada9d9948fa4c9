/** Several providers of one chain: one that failed is set aside, so that a hanging one does not slow every call. */

import { type Breaker, type BreakerState, createBreaker } from './breaker.ts'

/** Milliseconds one provider has for one call, the whole answer included. */
const CALL_TIMEOUT_MS = 2_000
/** Milliseconds a provider that failed is left alone at first. */
const SET_ASIDE_MS = 1_000
/** Providers of one chain; a call so takes at most this many time limits. */
export const PROVIDERS_MAX = 5

export type ProviderLimits = {
  /** Milliseconds one URL has for one call. */
  readonly timeoutMs?: number
  /** Milliseconds a URL that failed is left alone at first; the pause doubles while it fails. */
  readonly setAsideMs?: number
}

export type ProvidersOptions<Client> = ProviderLimits & {
  /** The network's name, which stands in front of every error message. */
  readonly network: string
  /** URLs of providers of the same chain, best first. */
  readonly urls: readonly string[]
  /** `label` names the provider in messages without its URL. Throws when the URL is of no use. */
  open(url: string, label: string): Client
  /** Rejects with WrongChain when the provider serves another chain than the configured one. */
  prove(client: Client, label: string, signal: AbortSignal): Promise<void>
}

/** One question, asked of one provider within its time limit. */
export type Question<Client, T> = (client: Client, signal: AbortSignal) => Promise<T>

export type Providers<Client> = {
  /**
   * Asks one provider after the other until one answers; `what` names the question in messages. Rejects with
   * ProviderRefusal when one answered that it will not, else with ProviderUnavailable; with WrongChain when every one
   * serves another chain.
   */
  ask<T>(what: string, question: Question<Client, T>): Promise<T>
  /** Asks every provider at once, also those set aside; answers what each said, in their order. */
  askAll<T>(what: string, question: Question<Client, T>): Promise<PromiseSettledResult<T>[]>
  /** The state of each provider, in their order. */
  states(): readonly BreakerState[]
  /**
   * Proves every provider's chain anew. Rejects with WrongChain when one serves another chain, or when none answers.
   */
  verifyChain(): Promise<void>
}

/** A provider answered that it will not, or that it asks for too much: asking for less may help. */
export class ProviderRefusal extends Error {
  /**
   * The reason with which a call to a contract was reverted, if it was: hex, or the node's own short words. It is never
   * part of the message.
   */
  readonly revert: string | undefined

  constructor(message: string, revert?: string) {
    super(message)
    this.revert = revert
  }
}

/** No provider gave a usable answer. */
export class ProviderUnavailable extends Error {
  override readonly name = 'ProviderUnavailable'
  /** The last provider asked ran out of time; a smaller question may fit. */
  readonly timedOut: boolean

  constructor(message: string, timedOut = false) {
    super(message)
    this.timedOut = timedOut
  }
}

/** A provider serves another chain than the configured one: it is never asked again. */
export class WrongChain extends Error {}

/**
 * The reason why a provider gave no usable answer, in words that may be shown: they hold neither its URL nor anything
 * that was sent or received.
 */
export class ProviderFault extends Error {}

/**
 * Providers are asked in the order given; one that failed has its turn again when its pause is over, and is asked
 * sooner only when no other answers. Each proves its chain before its first answer is used. No message holds a URL,
 * which may carry a key, nor anything that was sent or that the provider wrote.
 */
export const createProviders = <Client>(options: ProvidersOptions<Client>): Providers<Client> => {
  const { network, urls, open, timeoutMs = CALL_TIMEOUT_MS, setAsideMs = SET_ASIDE_MS } = options
  if (urls.length === 0 || urls.length > PROVIDERS_MAX)
    throw new Error(`${network}: give 1 to ${PROVIDERS_MAX} RPC URLs`)
  const providers = urls.map((url, n): Provider<Client> => {
    const label = `${network}: RPC URL ${n + 1} of ${urls.length}`
    return { label, client: open(url, label), breaker: createBreaker(setAsideMs), proven: false }
  })
  const limits = { timeoutMs, prove: options.prove }

  return {
    async ask(what, question) {
      let failure: unknown
      for (const provider of inOrder(providers)) {
        try {
          // Unless another call is probing, nothing is awaited before the attempt begins: so only one of many calls at
          // once becomes the probe.
          const probing = provider.breaker.probing()
          if (probing) await probed(provider, probing, what)
          return await attempt(provider, limits, what, question)
        } catch (error) {
          if (!(failure instanceof ProviderRefusal)) failure = error
        }
      }
      throw failure ?? new WrongChain(`${network}: every RPC URL serves another chain`)
    },
    states: () => providers.map(({ breaker }) => breaker.state()),
    askAll: (what, question) =>
      Promise.allSettled(providers.map((provider) => attempt(provider, limits, what, question))),
    async verifyChain() {
      for (const provider of providers) provider.proven = false
      const proofs = await this.askAll('the proof of its chain', async () => undefined)
      const reasons = proofs.flatMap((proof) => (proof.status === 'rejected' ? [proof.reason] : []))
      const wrong = reasons.find((reason) => reason instanceof WrongChain)
      if (wrong) throw wrong
      if (reasons.length === proofs.length) throw reasons[0]
    },
  }
}

type Provider<Client> = {
  readonly label: string
  readonly client: Client
  readonly breaker: Breaker
  proven: boolean
}

type Limits<Client> = Required<Pick<ProviderLimits, 'timeoutMs'>> & Pick<ProvidersOptions<Client>, 'prove'>

/** Waits for the call that finds out whether a provider answers again, and goes by what it finds. */
const probed = async <Client>({ label, breaker }: Provider<Client>, probing: Promise<void>, what: string) => {
  await probing
  if (breaker.state() !== 'closed') throw new ProviderUnavailable(`${label}: ${what}: it does not answer yet`)
}

/** Asks one provider one question; the proof of its chain, where it is still missing, shares the time limit. */
const attempt = async <Client, T>(
  provider: Provider<Client>,
  limits: Limits<Client>,
  what: string,
  question: Question<Client, T>,
): Promise<T> => {
  const signal = AbortSignal.timeout(limits.timeoutMs)
  const call = provider.breaker.begin()
  try {
    if (!provider.proven) {
      await limits.prove(provider.client, provider.label, signal)
      provider.proven = true
    }
    const answer = await question(provider.client, signal)
    call.answered()
    return answer
  } catch (error) {
    if (error instanceof WrongChain) call.neverAgain()
    else if (error instanceof ProviderRefusal) call.answered()
    else call.failed()
    if (error instanceof ProviderRefusal || error instanceof WrongChain) throw error
    const fault = error instanceof ProviderFault ? error.message : 'no usable answer'
    const reason = signal.aborted ? `no answer within ${limits.timeoutMs} ms` : fault
    throw new ProviderUnavailable(`${provider.label}: ${what}: ${reason}`, signal.aborted)
  }
}

/**
 * The order in which providers are asked: first those that are free, then those set aside, the shortest pause first;
 * never those of another chain.
 */
const inOrder = <Client>(providers: readonly Provider<Client>[]): readonly Provider<Client>[] => {
  const wait = ({ breaker }: Provider<Client>) => (breaker.isFree() ? -1 : breaker.pauseLeft())
  return providers.filter(({ breaker }) => breaker.state() !== 'wrong-chain').toSorted((a, b) => wait(a) - wait(b))
}
