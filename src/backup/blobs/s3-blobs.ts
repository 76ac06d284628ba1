import { Readable } from 'node:stream'
import type { Environment } from '../../shared/environment.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { Blobs } from './blobs.ts'

/** Parts of 8 MiB, four at a time: up to 80 GiB in the 10,000 parts that S3 accepts. */
const PART = { partSize: 8 * 1024 ** 2, queueSize: 4 }

/** How long aborting an upload may take, in milliseconds. */
const ABORT_MS = 10_000

interface S3Place {
  bucket: string
  /** Without slashes at its ends; empty for the bucket itself. */
  prefix: string
}

/**
 * Blobs as the objects below a prefix of a bucket. Endpoint, region and credentials come from the AWS environment: the
 * variables `AWS_*`, `~/.aws`, or the role of the machine. With a custom endpoint, the bucket is a part of the path.
 */
export function s3Blobs({ bucket, prefix }: S3Place, environment: Environment): Blobs {
  let opened: ReturnType<typeof openClient> | undefined
  const open = () => (opened ??= openClient(environment))
  const Prefix = prefix === '' ? '' : `${prefix}/`
  const keyOf = (name: string) => `${Prefix}${name}`
  const locationOf = (name: string) => `s3://${bucket}/${keyOf(name)}`
  const request = <T>(name: string, work: (sdk: Sdk) => Promise<T>) =>
    open()
      .then(work)
      .catch((error: unknown) => {
        throw toS3Error(error, locationOf(name))
      })
  const abortUploads = async (
    { AbortMultipartUploadCommand, client, ListMultipartUploadsCommand }: Sdk,
    matches: (name: string) => boolean,
    abortSignal: AbortSignal,
  ) => {
    const listing = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix })
    const uploads = await client.send(listing, { abortSignal }).catch(unlessDenied)
    for (const { Key = '', UploadId } of uploads?.Uploads ?? []) {
      if (matches(Key.slice(Prefix.length))) {
        const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })
        await client.send(command, { abortSignal })
      }
    }
  }
  return {
    locationOf,
    write: (name, bytes, signal) =>
      request(name, async (sdk) => {
        const Body = Readable.from(bytes, { objectMode: false })
        const params = { Bucket: bucket, Key: keyOf(name), Body }
        try {
          // `Upload.abort` does not wait until the uploaded parts are removed; a failed request does.
          await new sdk.Upload({ client: stoppable(sdk, signal), params, ...PART }).done()
        } catch (error) {
          // A part that was on its way may come after the abort (AWS, AbortMultipartUpload), and is removed by another one.
          const limit = AbortSignal.timeout(ABORT_MS)
          await abortUploads(sdk, (one) => one === name, limit).catch(() => {
            // The failure that led here says more, and a later deletion of snapshots removes what remains.
          })
          throw error
        }
      }),
    read: (name, signal) =>
      request(name, async ({ client, GetObjectCommand }) => {
        const command = new GetObjectCommand({ Bucket: bucket, Key: keyOf(name) })
        const { Body } = await client
          .send(command, { abortSignal: signal })
          .catch((error: unknown) => {
            if (error instanceof Error && error.name === 'NoSuchKey') {
              return { Body: undefined }
            }
            throw error
          })
        return Body instanceof Readable ? Body : undefined
      }),
    list: (signal) =>
      request('', async ({ client, paginateListObjectsV2 }) => {
        const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix, Delimiter: '/' })
        const names: string[] = []
        for await (const { Contents = [] } of pages) {
          signal.throwIfAborted()
          names.push(...Contents.map(({ Key = '' }) => Key.slice(Prefix.length)))
        }
        return names
      }),
    remove: (name, signal) =>
      request(name, async ({ client, DeleteObjectCommand }) => {
        const command = new DeleteObjectCommand({ Bucket: bucket, Key: keyOf(name) })
        await client.send(command, { abortSignal: signal })
      }),
    removePartial: (matches, signal) => request('', (sdk) => abortUploads(sdk, matches, signal)),
  }
}

/** Ignores a missing permission to list uploads: the bucket may have its own rules to remove incomplete ones. */
function unlessDenied(error: unknown): undefined {
  if (!(error instanceof Error) || error.name !== 'AccessDenied') {
    throw error
  }
}

type Sdk = Awaited<ReturnType<typeof openClient>>

/** The signal ends all requests but those that begin the upload, and return its id, or abort it. */
function stoppable(
  { AbortMultipartUploadCommand, client, CreateMultipartUploadCommand }: Sdk,
  signal: AbortSignal,
): Sdk['client'] {
  const optionsOf = (command: unknown) => {
    if (command instanceof AbortMultipartUploadCommand) {
      return { abortSignal: AbortSignal.timeout(ABORT_MS) }
    }
    return command instanceof CreateMultipartUploadCommand ? {} : { abortSignal: signal }
  }
  return Object.create(client, {
    send: {
      value: (command: Parameters<typeof client.send>[0]) =>
        client.send(command, optionsOf(command)),
    },
  })
}

async function openClient(environment: Environment) {
  const { openS3 } = await import('./s3-client.ts')
  return openS3(clientOptions(environment))
}

/** What the environment says; the SDK, which only knows that of the process, finds the rest. */
function clientOptions(environment: Environment) {
  const valueOf = (name: string) => (environment[name] === '' ? undefined : environment[name])
  const endpoint = valueOf('AWS_ENDPOINT_URL_S3') ?? valueOf('AWS_ENDPOINT_URL')
  const [accessKeyId, secretAccessKey] = ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'].map(valueOf)
  const isGiven = accessKeyId !== undefined && secretAccessKey !== undefined
  const sessionToken = valueOf('AWS_SESSION_TOKEN')
  return omitUndefined({
    forcePathStyle: endpoint !== undefined,
    endpoint,
    region: valueOf('AWS_REGION'),
    // A profile has precedence over keys.
    credentials:
      isGiven && valueOf('AWS_PROFILE') === undefined
        ? omitUndefined({ accessKeyId, secretAccessKey, sessionToken })
        : undefined,
  })
}

function toS3Error(error: unknown, location: string): unknown {
  if (error instanceof VplaneError || !(error instanceof Error) || error.name === 'AbortError') {
    return error
  }
  const reason =
    error.message === '' || error.message === 'UnknownError' ? error.name : messageOf(error)
  return new VplaneError('FAILED', `cannot use ${location}: ${reason}`, {
    hints: [
      'set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION',
      'set AWS_ENDPOINT_URL_S3 for a server other than Amazon',
    ],
    cause: error,
  })
}

/** Whether a place is `s3://BUCKET/PREFIX` and not the path of a file. */
export function isS3(text: string): boolean {
  return text.startsWith('s3://')
}

/** Parses `s3://BUCKET/PREFIX`. @throws {VplaneError} `USAGE` when it names no bucket. */
export function parseS3(text: string): S3Place {
  const [bucket = '', ...path] = text.slice('s3://'.length).split('/')
  if (!/^[a-z0-9][a-z0-9.-]+$/.test(bucket)) {
    throw new VplaneError('USAGE', `"${text}" names no bucket`, { hints: ['s3://BUCKET/PREFIX'] })
  }
  return { bucket, prefix: path.filter((part) => part !== '').join('/') }
}
