/** HTTP as it is spoken to the providers of a chain. */

/** Throws for what is no http URL; the message has the label in place of the URL, which may hold a key. */
export const httpUrl = (url: string, label: string): URL => {
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) throw new Error(`${label}: not an http URL`)
  return new URL(url)
}

/**
 * The same URL without the user and the password that may stand in it, and the header that says them: a URL with them
 * cannot be called.
 */
export const withLogin = (given: URL): { readonly url: URL; readonly headers: { readonly authorization?: string } } => {
  const url = new URL(given)
  const login = Buffer.from(`${decoded(url.username)}:${decoded(url.password)}`).toString('base64')
  const headers = url.username || url.password ? { authorization: `Basic ${login}` } : {}
  url.username = ''
  url.password = ''
  return { url, headers }
}

/** A percent sign that begins no escape is meant as it stands. */
const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * The body of an answer. When it has more than `maxBytes` bytes, rejects with the error that `tooMuch` makes, and
 * leaves the rest unread.
 */
export const boundedBody = async (
  response: Response,
  maxBytes: number,
  tooMuch: (words: string) => Error,
): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > maxBytes) throw tooMuch(`an answer above ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
