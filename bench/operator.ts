import { createOutbound } from '../adapters/outbound/signed-post.ts'
import { createPasswords } from '../adapters/passwords.ts'
import { createSignInRows } from '../adapters/postgres/sign-in/rows.ts'
import { createVault } from '../adapters/postgres/vault.ts'
import type { Flow } from '../domain/flows/flow.ts'
import { registerApp } from '../domain/flows/sign-in/register-app.ts'
import { registerUser } from '../domain/flows/sign-in/register-user.ts'
import { createLedger } from '../domain/ledger.ts'
import { consentId } from '../domain/signin/consent.ts'
import { openBooks } from '../src/books.ts'
import { readConfig } from '../src/config.ts'
import { openDataDir } from '../src/data-dir.ts'
import { world } from '../src/world.ts'

/** Users, apps and browsers for a measured service, made as the operator's commands make them. */
export const openOperator = async ({ dataDir, databaseUrl }: { dataDir: string; databaseUrl: string }) => {
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: databaseUrl })
  const books = openBooks(config)
  const sql = await books.sql()
  const vault = await createVault({ sql, masterKey: openDataDir(config).masterKey() })
  const rows = await createSignInRows(sql)
  const snapshots = { load: async () => undefined, save: async () => {} }
  const { ledger } = createLedger(await books.store(), world, snapshots).open({
    actor: 'bench',
    correlationId: 'bench',
  })
  const outbound = createOutbound({ allow: new Set(), userAgent: 'bench' })
  const parts = { ledger, world, vault, outbound, passwords: createPasswords(), origins: config.origins }
  // What these flows use of it.
  const flow = parts as unknown as Flow
  return {
    ledger,
    /** A confidential app that is not the operator's own, under a verified domain. */
    async app(redirectUri: string) {
      const wish = { name: 'Bench', owner: null, confidential: true, firstParty: false, backchannelUrl: null }
      const { clientId, clientSecret } = await registerApp(flow, { ...wish, redirectUris: [redirectUri] })
      const domain = new URL(redirectUri).hostname
      await ledger.clientApp.claimDomain(clientId, { domain, token: 'token' })
      await ledger.clientApp.verifyDomain(clientId, { domain })
      return { clientId, clientSecret: clientSecret ?? '' }
    },
    async user(): Promise<string> {
      const email = `${world.secret(6)}@bench.test`
      return (await registerUser(flow, { email, password: world.secret(16), profile: {} })).sub
    },
    /** The cookie of a browser in which the user is signed in, and has let the app know who they are. */
    async browser(sub: string, clientId: string): Promise<string> {
      await ledger.consent.grant(consentId(sub, clientId), { sub, clientId, scopes: ['openid'] })
      const secret = world.secret(32)
      const session = { sid: world.id('ses'), sub, amr: ['pwd'], device: 'Bench', secretHash: world.digest(secret) }
      await rows.sessions.begin(session, world.now())
      return `sid=${secret}`
    },
    async close() {
      await vault.close()
      await outbound.close()
      await books.close()
    },
  }
}
