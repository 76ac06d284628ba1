import { Readable } from 'node:stream'
import type { Environment } from '../../shared/environment.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import type { Blobs } from './blobs.ts'
import type { S3Place } from './s3-place.ts'

/** Parts of 8 MiB, four at a time: up to 80 GiB in the 10,000 parts that S3 takes. */
const PART = { partSize: 8 * 1024 ** 2, queueSize: 4 }

/** How long taking back what was uploaded may take, in milliseconds. */
const TAKE_BACK_MS = 10_000

/**
 * The objects below a prefix of a bucket. Endpoint, region and credentials are those of the AWS environment: the variables
 * `AWS_*`, the profiles in `~/.aws`, or the role of the machine. With an endpoint of its own, the bucket is part of the path.
 */
export function s3Blobs({ bucket, prefix }: S3Place, environment: Environment): Blobs {
  let opened: ReturnType<typeof openClient> | undefined
  const open = () => (opened ??= openClient(environment))
  const keyOf = (name: string) => (prefix === '' ? name : `${prefix}/${name}`)
  const locationOf = (name: string) => `s3://${bucket}/${keyOf(name)}`
  const asked = <T>(name: string, work: (sdk: Sdk) => Promise<T>) =>
    open()
      .then(work)
      .catch((error: unknown) => {
        throw toS3Error(error, locationOf(name))
      })
  return {
    locationOf,
    write: (name, bytes, signal) =>
      asked(name, async (sdk) => {
        const Body = Readable.from(bytes, { objectMode: false })
        const params = { Bucket: bucket, Key: keyOf(name), Body }
        // Its own `abort` does not wait until the parts that are there already are taken back, and what fails does.
        await new sdk.Upload({ client: stoppable(sdk, signal), params, ...PART }).done()
      }),
    read: (name, signal) =>
      asked(name, async ({ client, GetObjectCommand }) => {
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
      asked('', async ({ client, paginateListObjectsV2 }) => {
        const Prefix = prefix === '' ? '' : `${prefix}/`
        const pages = paginateListObjectsV2({ client }, { Bucket: bucket, Prefix, Delimiter: '/' })
        const names: string[] = []
        for await (const { Contents = [] } of pages) {
          signal.throwIfAborted()
          names.push(...Contents.map(({ Key = '' }) => Key.slice(Prefix.length)))
        }
        return names
      }),
    remove: (name, signal) =>
      asked(name, async ({ client, DeleteObjectCommand }) => {
        const command = new DeleteObjectCommand({ Bucket: bucket, Key: keyOf(name) })
        await client.send(command, { abortSignal: signal })
      }),
    removePartial: (isMeant, signal) =>
      asked('', async ({ AbortMultipartUploadCommand, client, ListMultipartUploadsCommand }) => {
        const Prefix = prefix === '' ? '' : `${prefix}/`
        const uploads = await client
          .send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix }), {
            abortSignal: signal,
          })
          .catch(unlessDenied)
        for (const { Key = '', UploadId } of uploads?.Uploads ?? []) {
          if (isMeant(Key.slice(Prefix.length))) {
            const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })
            await client.send(command, { abortSignal: signal })
          }
        }
      }),
  }
}

/** Who may write, read and delete need not be allowed to list uploads: the bucket has its own rules for them then. */
function unlessDenied(error: unknown): undefined {
  if (!(error instanceof Error) || error.name !== 'AccessDenied') {
    throw error
  }
}

type Sdk = Awaited<ReturnType<typeof openClient>>

/**
 * The client for one upload: a signal ends what is on its way, but neither what begins the upload, of which nobody would
 * know then, nor what takes its parts back.
 */
function stoppable(
  { AbortMultipartUploadCommand, client, CreateMultipartUploadCommand }: Sdk,
  signal: AbortSignal,
): Sdk['client'] {
  const optionsOf = (command: unknown) => {
    if (command instanceof AbortMultipartUploadCommand) {
      return { abortSignal: AbortSignal.timeout(TAKE_BACK_MS) }
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
  const {
    AbortMultipartUploadCommand,
    CreateMultipartUploadCommand,
    DeleteObjectCommand,
    GetObjectCommand,
    ListMultipartUploadsCommand,
    paginateListObjectsV2,
    S3Client,
    Upload,
  } = await import('./s3-client.ts')
  const variables = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL']
  const forcePathStyle = variables.some((name) => (environment[name] ?? '') !== '')
  return {
    client: new S3Client({ forcePathStyle }),
    AbortMultipartUploadCommand,
    CreateMultipartUploadCommand,
    DeleteObjectCommand,
    GetObjectCommand,
    ListMultipartUploadsCommand,
    paginateListObjectsV2,
    Upload,
  }
}

function toS3Error(error: unknown, location: string): unknown {
  if (error instanceof VplaneError || !(error instanceof Error) || error.name === 'AbortError') {
    return error
  }
  const words =
    error.message === '' || error.message === 'UnknownError' ? error.name : messageOf(error)
  return new VplaneError('FAILED', `cannot use ${location}: ${words}`, {
    hints: [
      'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION say who you are and where',
      'AWS_ENDPOINT_URL_S3 says which server, when it is not Amazon',
    ],
    cause: error,
  })
}
