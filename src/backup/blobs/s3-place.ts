import { VplaneError } from '../../shared/errors.ts'

/** A prefix in a bucket. */
export interface S3Place {
  bucket: string
  /** Without slashes at its ends; empty for the bucket itself. */
  prefix: string
}

/** Tells `s3://BUCKET/PREFIX` from the path of a file. */
export function isS3(text: string): boolean {
  return text.startsWith('s3://')
}

/**
 * Reads `s3://BUCKET/PREFIX`.
 *
 * @throws {VplaneError} `USAGE` when it names no bucket.
 */
export function parseS3(text: string): S3Place {
  const [bucket = '', ...path] = text.slice('s3://'.length).split('/')
  if (!/^[a-z0-9][a-z0-9.-]+$/.test(bucket)) {
    throw new VplaneError('USAGE', `"${text}" names no bucket`, {
      hints: ['s3://BUCKET/PREFIX'],
    })
  }
  return { bucket, prefix: path.filter((part) => part !== '').join('/') }
}
