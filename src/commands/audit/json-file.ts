import { readFileSync } from 'node:fs'

/** What a file that somebody brought along holds; undefined when that is not JSON. */
export const jsonIn = (file: string): unknown => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}
