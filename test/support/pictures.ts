/** Pictures to upload, good and bad, and how they are uploaded. */
import { crc32, deflateSync } from 'node:zlib'
import sharp, { type Sharp } from 'sharp'
import type { Answer } from '../../src/demo/client.ts'
import type { TestApp } from './app.ts'

/** A picture with a pattern, so that no two of different seeds are the same. */
export const drawn = (seed = 1, width = 24, height = 16): Sharp => {
  const pixels = Buffer.from(Array.from({ length: width * height * 3 }, (_, at) => (at * 7 * seed) % 256))
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}

/** A PNG of any size that its header claims, with hardly any bytes. */
export const claimedPng = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  return Buffer.concat([PNG, chunk('IHDR', header), chunk('IDAT', deflateSync(Buffer.alloc(100_000))), chunk('IEND')])
}

export const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

const chunk = (type: string, data = Buffer.alloc(0)): Buffer => {
  const body = Buffer.concat([Buffer.from(type), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** A PNG with a text in a chunk of its own. */
export const withText = (png: Buffer, text: string): Buffer =>
  Buffer.concat([png.subarray(0, 33), chunk('tEXt', Buffer.from(`Comment\0${text}`)), png.subarray(33)])

export const fileOf = (bytes: Buffer, name = 'a.png', type = 'image/png'): File =>
  new File([new Uint8Array(bytes)], name, { type })

/** A form of these files and fields. */
export const formOf = (...parts: readonly (File | string)[]): FormData => {
  const form = new FormData()
  for (const part of parts) form.append('file', part)
  return form
}

export const uploads =
  (app: () => TestApp) =>
  async (key: string | undefined, body: BodyInit, headers = {}) => {
    const response = await fetch(`${app().served().origin}/v1/site?resource=assets`, {
      method: 'POST',
      body,
      headers: { ...(key !== undefined && { 'x-api-key': key }), ...headers },
    })
    const text = await response.text()
    const answer: Answer = { status: response.status, headers: response.headers, text, json: JSON.parse(text) }
    return answer
  }
