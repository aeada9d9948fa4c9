import { fileURLToPath } from 'node:url'
import { startChild } from '../child.ts'
import type { Contestant } from '../comparison.ts'
import type { Flown } from '../flight.ts'
import { openOperator } from '../operator.ts'
import { startBenchService } from '../service.ts'
import { CLIENT, REDIRECT_URI, SECRET } from '../sign-ins.ts'
import type { BenchSet, Stage } from '../stage.ts'
import type { SigningIn } from '../subjects/sign-ins.ts'
import { startWorker, type Worker } from '../worker.ts'

/**
 * Signing in again without a page, and tokens for a code, beside the library that is the field's reference, with its
 * rows in memory and in PostgreSQL.
 */

const IN_FLIGHT = 32
const DAYBOOK = 'Daybook'
const PEER = 'oidc-provider, rows in PostgreSQL'
const PEER_IN_MEMORY = 'oidc-provider, rows in memory'

type Target = Omit<SigningIn, 'inFlight' | 'ms' | 'codes'>

export const signIn: BenchSet = {
  name: 'sign-in',
  title: 'Silent sign-ins, and tokens for codes',
  async run(stage) {
    const worker = startWorker('subjects/sign-ins.ts')
    stage.closing(() => worker.stop())
    const targets: readonly (readonly [string, Target])[] = [
      [DAYBOOK, await ours(stage)],
      [PEER, await peer(stage, (await stage.database()).url)],
      [PEER_IN_MEMORY, await peer(stage, 'memory')],
    ]
    for (const how of [
      { title: 'authorize with prompt=none, a code each', unit: 'codes', ms: stage.pick(2_000, 10_000) },
      { title: 'a code to an access token and a signed ID token', unit: 'tokens', codes: stage.pick(3_000, 20_000) },
    ]) {
      const { title, unit, ...asked } = how
      const contestants = targets.map(([name, target]) =>
        at(worker, name, { ...target, ...asked, inFlight: IN_FLIGHT }),
      )
      for (const { warmUp } of contestants) await warmUp()
      await stage.compare({
        title: `${title}; ${IN_FLIGHT} in flight`,
        unit,
        contestants,
        goals: [{ subject: DAYBOOK, reference: PEER, atLeast: 1.5 }],
      })
    }
  },
}

const at = (worker: Worker, name: string, asked: SigningIn): Contestant & { warmUp(): Promise<Flown> } => ({
  name,
  round: () => worker.ask<Flown>(asked),
  warmUp: () => worker.ask<Flown>({ ...asked, ...(asked.codes ? { codes: 1_000 } : { ms: 1_000 }) }),
})

const ours = async (stage: Stage): Promise<Target> => {
  const { url: databaseUrl } = await stage.database()
  const dataDir = `${stage.dir}/data`
  const service = await startBenchService({ dataDir, databaseUrl })
  stage.closing(() => service.stop())
  const operator = await openOperator({ dataDir, databaseUrl })
  const app = await operator.app(REDIRECT_URI)
  const cookie = await operator.browser(await operator.user(), app.clientId)
  await operator.close()
  const { origin } = service
  return {
    authorize: `${origin}/oauth2?op=authorize`,
    token: `${origin}/oauth2?op=token`,
    cookie,
    clientId: app.clientId,
    clientSecret: app.clientSecret,
  }
}

const peer = async (stage: Stage, where: string): Promise<Target> => {
  const program = fileURLToPath(new URL('../peers/oidc-provider.ts', import.meta.url))
  const { url, stop } = await startChild<{ url: string }>(program, [where])
  stage.closing(stop)
  return { authorize: `${url}/auth`, token: `${url}/token`, clientId: CLIENT, clientSecret: SECRET }
}
