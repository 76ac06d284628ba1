import { VplaneError } from '../shared/errors.ts'
import { within } from '../shared/wait.ts'
import { callEtcd, type EtcdCall } from './call-etcd.ts'
import type { EtcdConnection } from './etcd-connection.ts'
import { type ProtobufFields, protobufFields } from './protobuf.ts'

/** What etcd answers if users changed after it had accepted the request. */
const USERS_HAVE_CHANGED = 'revision of auth store is old'

const MAX_ATTEMPTS = 20

/** How long an answer may take, in milliseconds: much data takes its time over a slow connection. */
const ANSWER_MS = 60_000

interface Request extends EtcdCall {
  /** @default a minute */
  answerMs?: number
}

/**
 * Calls a procedure that answers with one message, over gRPC; again if users changed meanwhile, as etcd's own client does.
 * @throws {VplaneError} as `callEtcd` does, and `UNREACHABLE` without an answer in time: a server that hangs gives none.
 */
export async function askOnce(
  connection: EtcdConnection,
  { answerMs = ANSWER_MS, signal, ...call }: Request,
): Promise<ProtobufFields> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const [answer] = await within(answerMs, (late) =>
        Array.fromAsync(callEtcd(connection, { ...call, signal: AbortSignal.any([signal, late]) })),
      )
      return fieldsOf(answer, `${connection.what} returned an invalid answer to ${call.path}`)
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof VplaneError)) {
        throw error
      }
      if (error.code === 'TIMED_OUT') {
        const message = `${connection.what} does not answer: ${error.message}`
        throw new VplaneError('UNREACHABLE', message, { cause: error })
      }
      const isChange = error.message.endsWith(USERS_HAVE_CHANGED)
      if (!isChange || attempt === MAX_ATTEMPTS) {
        throw error
      }
    }
  }
}

function fieldsOf(answer: Buffer | undefined, failure: string): ProtobufFields {
  const fields = answer && protobufFields(answer)
  if (fields === undefined) {
    throw new VplaneError('FAILED', failure)
  }
  return fields
}
