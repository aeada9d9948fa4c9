import { setTimeout as pause } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { createBreaker } from '../../adapters/chains/rpc/breaker.ts'
import {
  createProviders,
  ProviderFault,
  ProviderRefusal,
  ProviderUnavailable,
} from '../../adapters/chains/rpc/providers.ts'
import { gate } from '../support/ledger.ts'

/** So long that a busy machine does what lies between two questions meanwhile. */
const PAUSE_MS = 800

/** Providers that do what each test says; `asked` counts the questions to each. */
const setup = (behaviours: (() => Promise<string>)[]) => {
  const asked = behaviours.map(() => 0)
  const providers = createProviders<number>({
    network: 'eth',
    urls: behaviours.map((_, n) => String(n)),
    open: Number,
    prove: async () => undefined,
    timeoutMs: 5_000,
    setAsideMs: PAUSE_MS,
  })
  const question = (n: number) => {
    asked[n] = (asked[n] ?? 0) + 1
    return behaviours[n]?.() ?? Promise.reject(new Error('no such provider'))
  }
  return {
    asked,
    providers,
    ask: () => providers.ask('a question', question),
    askAll: () => providers.askAll('', question),
  }
}
const down = () => Promise.reject(new ProviderFault('it is down'))
const unavailable = (t: ExecutionContext, call: Promise<unknown>) =>
  t.throwsAsync(call, { instanceOf: ProviderUnavailable })

test('pauses grow with each failure in a row, up to their bound, and end with the first answer', (t) => {
  const breaker = createBreaker(1_000)
  t.deepEqual([breaker.state(), breaker.isFree()], ['closed', true])
  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    breaker.begin().failed()
    t.is(breaker.state(), 'open')
    t.is(Math.ceil(breaker.pauseLeft() / 1_000), seconds)
  }
  breaker.begin().answered()
  t.deepEqual([breaker.state(), breaker.pauseLeft()], ['closed', 0])
})

test('calls that fail together count as one failure', (t) => {
  const breaker = createBreaker(1_000)
  for (const call of Array.from({ length: 50 }, () => breaker.begin())) call.failed()
  t.is(Math.ceil(breaker.pauseLeft() / 1_000), 1)
})

test('a provider that failed is left alone, then asked by one call at a time while the others answer', async (t) => {
  let isWell = false
  const { opened, open } = gate()
  const first = async () => {
    if (!isWell) return down()
    await opened
    return 'first'
  }
  const { ask, asked, providers } = setup([first, async () => 'second'])
  t.is(await ask(), 'second')
  t.deepEqual([await ask(), await ask(), asked[0]], ['second', 'second', 1])
  t.deepEqual(providers.states(), ['open', 'closed'])
  isWell = true
  await pause(2 * PAUSE_MS)
  t.deepEqual(providers.states(), ['half-open', 'closed'])
  const probe = ask()
  t.deepEqual([await ask(), await ask(), asked[0]], ['second', 'second', 2])
  open()
  t.deepEqual([await probe, await ask(), asked[0]], ['first', 'first', 3])
  t.deepEqual(providers.states(), ['closed', 'closed'])
})

test('when the only provider is down each crowd of calls costs it one question, and all go on when it is back', async (t) => {
  let isWell = false
  const { ask, asked } = setup([
    async () => {
      await pause(5)
      return isWell ? 'yes' : down()
    },
  ])
  await unavailable(t, ask())
  await Promise.all(Array.from({ length: 100 }, () => unavailable(t, ask())))
  t.is(asked[0], 2)
  isWell = true
  t.deepEqual([...new Set(await Promise.all(Array.from({ length: 100 }, ask)))], ['yes'])
})

test('a question to all asks also those that are left alone, and an answer brings them back', async (t) => {
  let isWell = false
  const { ask, askAll, providers } = setup([() => (isWell ? Promise.resolve('first') : down()), async () => 'second'])
  await ask()
  isWell = true
  t.deepEqual(providers.states(), ['open', 'closed'])
  t.deepEqual(
    (await askAll()).map(({ status }) => status),
    ['fulfilled', 'fulfilled'],
  )
  t.deepEqual(providers.states(), ['closed', 'closed'])
  t.is(await ask(), 'first')
})

test('a refusal is an answer: its provider stays in its place', async (t) => {
  const { ask, asked, providers } = setup([() => Promise.reject(new ProviderRefusal('no')), async () => 'second'])
  t.deepEqual([await ask(), await ask(), asked[0]], ['second', 'second', 2])
  t.deepEqual(providers.states(), ['closed', 'closed'])
})
