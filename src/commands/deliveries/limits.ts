import { InvalidArgumentError } from 'commander'

/** Webhooks that a run sends in a second unless told otherwise, and the most that it may. */
export const RATE_PER_S = 5
export const RATE_MAX = 100

export const rateArgument = (text: string): number => {
  if (!/^\d{1,3}$/.test(text) || Number(text) < 1 || Number(text) > RATE_MAX)
    throw new InvalidArgumentError(`It is not a number a second from 1 to ${RATE_MAX}.`)
  return Number(text)
}

export const runArgument = (text: string): string => {
  if (!/^[\w.-]{1,64}$/.test(text))
    throw new InvalidArgumentError('It is not a name of 1 to 64 letters, digits, dots, dashes and underscores.')
  return text
}

export const urlArgument = (text: string): string => {
  if (!/^https?:\/\//.test(text)) throw new InvalidArgumentError('It is not the beginning of a URL (https://…).')
  return text
}
