import type { ImageFormat, SiteImages } from '../../domain/storefront/site.ts'

/** The path at which pictures of sellers are served, and the addresses that name one of an account's own. */

/** Characters of a picture's name: 128 bits of the digest of its account and its bytes. */
export const IMAGE_NAME_LENGTH = 32

export const MEDIA_PATH = '/assets/media'

export const imagePath = (name: string, format: ImageFormat): string => `${MEDIA_PATH}/${name}.${format}`

/**
 * The path of an account's own picture that a URL names, undefined for any other URL. The origin may have changed since
 * the URL was written down, so it says nothing: what is shown is always the path on our own.
 */
export type OwnImage = (url: string) => string | undefined

export const ownImageOf =
  (images: SiteImages): OwnImage =>
  (url) => {
    const [, name = '', format] = NAMED.exec(url) ?? []
    const image = Object.hasOwn(images, name) ? images[name] : undefined
    return image && image.format === format ? imagePath(name, image.format) : undefined
  }

const NAMED = new RegExp(
  `^(?:https?://[A-Za-z0-9.:[\\]-]+)?${MEDIA_PATH}/([0-9a-f]{${IMAGE_NAME_LENGTH}})\\.(png|jpg|webp)$`,
)
