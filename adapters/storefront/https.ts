const URL_MAX = 2_048

/** An https URL that can stand in an attribute as it is, without a user's name in it; undefined for anything else. */
export const httpsUrl = (text: string): string | undefined => {
  if (text.length > URL_MAX || !/^https:\/\/[^\s"'`<>\\]+$/i.test(text) || !URL.canParse(text)) return undefined
  const { username, password, href } = new URL(text)
  return username || password || href.length > URL_MAX ? undefined : href
}
