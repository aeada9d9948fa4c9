import { createOutbound } from '../../adapters/outbound/signed-post.ts'
import { createSignInRows } from '../../adapters/postgres/sign-in/rows.ts'
import { createVault } from '../../adapters/postgres/vault/vault.ts'
import type { World } from '../../domain/kernel/ports.ts'
import type { UseCaseContext } from '../../domain/use-cases/context.ts'
import { type AppSecrets, type AppWish, registerApp } from '../../domain/use-cases/signin/register-app.ts'
import { registerUser } from '../../domain/use-cases/signin/register-user.ts'
import { createLedger } from '../../domain/write-side/ledger.ts'
import { openBooks } from '../../src/books/books.ts'
import { readConfig } from '../../src/settings/config.ts'
import { openDataDir } from '../../src/settings/data-dir.ts'
import { world as real } from '../../src/settings/world.ts'
import type { TestApp } from './app.ts'
import { connectBeside } from './kept-database.ts'
import { noSnapshots } from './ledger.ts'
import { createTestPasswords } from './passwords.ts'

/**
 * What the operator's commands do, on the log and the database of a service that runs: people and apps without pages.
 * `own` is what the service's world has of its own, such as another time.
 */
export const openOperator = async (app: Pick<TestApp, 'env' | 'databaseUrl' | 'served'>, own: Partial<World> = {}) => {
  const world = { ...real, ...own }
  const config = readConfig(app.env)
  const books = openBooks(config)
  const sql = connectBeside(app.databaseUrl)
  const vault = await createVault({ sql, masterKey: openDataDir(config).masterKey() })
  const signIn = await createSignInRows(sql)
  // Without name servers of its own a test has proven its domains by decree: the daily look would find no record.
  if (!app.env.DNS_SERVERS) await signIn.domainChecks.endRound(new Date('2999-01-01'))
  const { ledger } = createLedger(await books.store(), world, noSnapshots).open({
    actor: 'operator',
    correlationId: 'test',
  })
  const outbound = createOutbound({ allow: config.outboundAllow, userAgent: 'test' })
  const { origin } = app.served()
  const flow = {
    ledger,
    world,
    vault,
    outbound,
    passwords: createTestPasswords(),
    developmentApps: !config.production,
    origins: { base: origin, pay: origin, auth: origin, shop: origin },
  } as unknown as UseCaseContext
  return {
    flow,
    ledger,
    signIn,
    sql,
    /** A user whose address is proven. */
    async user(email = `${world.secret(6)}@people.test`, password = 'correct horse battery') {
      const { sub } = await registerUser(flow, { email, password, profile: { name: 'Ada Lovelace' } })
      const token = (await ledger.user.read(sub)) as { links: { 'verify-email': { tokenHash: string } } }
      await ledger.user.verifyEmail(sub, { tokenHash: token.links['verify-email'].tokenHash })
      return { sub, email, password }
    },
    /** The cookie of a browser in which a user is signed in. */
    async session(sub: string, amr: readonly string[] = ['pwd']) {
      const secret = world.secret(32)
      const sid = world.id('ses')
      await signIn.sessions.begin({ sid, sub, amr, device: 'Test', secretHash: world.digest(secret) }, world.now())
      return { sid, secret, cookie: `sid=${secret}` }
    },
    /** An app under a domain that is verified. */
    async app(wish: Partial<AppWish> = {}, domain = 'app.test'): Promise<AppSecrets> {
      const secrets = await registerApp(flow, {
        name: 'Shop',
        owner: null,
        confidential: true,
        firstParty: false,
        backchannelUrl: null,
        redirectUris: [`https://${domain}/cb`],
        ...wish,
      })
      await ledger.clientApp.claimDomain(secrets.clientId, { domain, token: 'token' })
      await ledger.clientApp.verifyDomain(secrets.clientId, { domain })
      return secrets
    },
    async stop() {
      await Promise.all([vault.close(), outbound.close(), books.close()])
      await sql.end({ timeout: 1 })
    },
  }
}
