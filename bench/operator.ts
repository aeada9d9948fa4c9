import { createPasswords } from '../adapters/crypto/passwords.ts'
import { createOutbound } from '../adapters/outbound/signed-post.ts'
import { createSignInRows } from '../adapters/postgres/sign-in/rows.ts'
import { createVault } from '../adapters/postgres/vault/vault.ts'
import { consentId } from '../domain/signin/consent.ts'
import type { UseCaseContext } from '../domain/use-cases/context.ts'
import { registerApp } from '../domain/use-cases/signin/register-app.ts'
import { registerUser } from '../domain/use-cases/signin/register-user.ts'
import { createLedger } from '../domain/write-side/ledger.ts'
import { openBooks } from '../src/books/books.ts'
import { eventually } from '../src/demo/stage.ts'
import { readConfig } from '../src/settings/config.ts'
import { openDataDir } from '../src/settings/data-dir.ts'
import { world } from '../src/settings/world.ts'

export type Debtor = { readonly sub: string; readonly mandateId: string }

/** A balance above what any run debits, in millionths of a dollar. */
const RICH = '1000000000000'
const FAR = '2099-01-01T00:00:00.000Z'

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
  // The part of the context that these flows use.
  const flow = parts as unknown as UseCaseContext
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
    /** Makes users who have money and a standing order by which the app takes as often as it likes. */
    debtors: (clientId: string, count: number): Promise<readonly Debtor[]> =>
      Promise.all(
        Array.from({ length: count }, async () => {
          const [sub, mandateId] = [world.id('usr'), world.id('so')]
          const approvedAt = world.now().toISOString()
          const caps = { perDebitCap: RICH, lifetimeCap: RICH, cooldown: 'none' } as const
          const terms = { ...caps, mode: 'adhoc', schedAmount: null, schedInterval: null, clientId } as const
          const way = { redirectUri: 'https://app.test/cb', appState: '', expiresAt: FAR }
          await ledger.userBalance.receive(sub, {
            transferId: `grant:${sub}`,
            ledgerRef: 'oidcgrant-bench',
            kind: 'grant',
            amount: RICH,
            from: 'platform',
            clientId: null,
            description: null,
            source: 'bench',
            position: '1',
          })
          await ledger.mandate.create(mandateId, { sub, description: await vault.seal(sub, 'Bench'), ...terms, ...way })
          await ledger.userBalance.activate(sub, { mandateId, ...terms, approvedAt, validUntil: FAR, until: FAR })
          return { sub, mandateId }
        }),
      ),
    /** The number of transfers that these have sent. */
    debitsOf: async (debtors: readonly Debtor[]): Promise<number> =>
      (await Promise.all(debtors.map(({ sub }) => ledger.userBalance.read(sub)))).reduce(
        (sum, { sent }) => sum + sent,
        0,
      ),
    /** Resolves once the app has all that these have sent. */
    async carried(clientId: string, debtors: readonly Debtor[], limitMs: number): Promise<void> {
      const states = await Promise.all(debtors.map(({ sub }) => ledger.userBalance.read(sub)))
      const spent = states.reduce((sum, { balance }) => sum + BigInt(RICH) - balance, 0n)
      const isThere = async () => (await ledger.appCredit.read(clientId)).balance === spent || undefined
      await eventually('what was debited at the app', isThere, limitMs)
    },
    async close() {
      await vault.close()
      await outbound.close()
      await books.close()
    },
  }
}
