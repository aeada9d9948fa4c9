/** An email address as somebody else may see it: enough for its owner to know it, and not enough to write to it. */
export const maskedAddress = (email: string): string => {
  const at = email.lastIndexOf('@')
  const [first = ''] = email
  return at < 1 ? '…' : `${first}…${email.slice(at)}`
}
