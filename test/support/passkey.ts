import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Page } from 'playwright-core'
import type { Balances } from './balance-calls.ts'

/** Gives the device of a page a passkey that a user has registered, as if they had done so before. */
export const givePasskey = async (page: Page, { operator: { ledger, flow } }: Balances, sub: string): Promise<void> => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  // COSE: an ES256 key on P-256, and its point (RFC 9053 §7.1).
  const [head, between] = [Buffer.from('a5010203262001215820', 'hex'), Buffer.from('225820', 'hex')]
  const cose = Buffer.concat([head, Buffer.from(x, 'base64url'), between, Buffer.from(y, 'base64url')])
  const id = randomBytes(16)
  await ledger.user.addPasskey(sub, {
    credentialId: id.toString('base64url'),
    publicKey: cose.toString('base64url'),
    transports: ['internal'],
    label: await flow.vault.seal(sub, 'Laptop'),
  })
  const { device, authenticatorId } = await virtualAuthenticator(page)
  await device.send('WebAuthn.addCredential', {
    authenticatorId,
    credential: {
      credentialId: id.toString('base64'),
      rpId: 'localhost',
      isResidentCredential: true,
      signCount: 1,
      privateKey: privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
      userHandle: Buffer.from(sub).toString('base64'),
    },
  })
}

/** A device of the browser's own that makes and keeps passkeys, and recognises its owner without being asked. */
export const virtualAuthenticator = async (page: Page) => {
  const device = await page.context().newCDPSession(page)
  await device.send('WebAuthn.enable')
  const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    device,
    authenticatorId,
    /** Whether the device recognises its owner. */
    recognises: (isUserVerified: boolean) =>
      device.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}
