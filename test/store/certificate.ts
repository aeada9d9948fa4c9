/** A certificate of its own for localhost, made anew for each test, so that no key lies in the repository. */
import { generateKeyPairSync, sign } from 'node:crypto'

/** PEM texts of the key and of the certificate, which is its own authority. */
export const newCertificate = (): { readonly key: string; readonly certificate: string } => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const content = sequence(
    tagged(0xa0, whole(2)),
    whole(1),
    ECDSA_WITH_SHA256,
    NAME,
    sequence(tagged(0x17, Buffer.from('250101000000Z')), tagged(0x17, Buffer.from('491231235959Z'))),
    NAME,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(sequence(oid(85, 29, 17), tagged(0x04, sequence(tagged(0x82, Buffer.from(HOST))))))),
  )
  const bits = tagged(0x03, Buffer.from([0]), sign('sha256', content, privateKey))
  const text = sequence(content, ECDSA_WITH_SHA256, bits).toString('base64').replaceAll(/.{64}/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    certificate: `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`,
  }
}

const HOST = 'localhost'

/** DER: a tag, a length, and what is inside. */
const tagged = (tag: number, ...inside: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(inside)
  const { length } = body
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const sequence = (...inside: readonly Uint8Array[]) => tagged(0x30, ...inside)
const whole = (value: number) => tagged(0x02, Buffer.from([value]))
const oid = (...bytes: readonly number[]) => tagged(0x06, Buffer.from(bytes))

const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))
const NAME = sequence(tagged(0x31, sequence(oid(85, 4, 3), tagged(0x0c, Buffer.from(HOST)))))
