import { VplaneError } from '../shared/errors.ts'
import { callEtcd } from './call-etcd.ts'
import type { EtcdConnection } from './etcd-connection.ts'
import { type ProtobufFields, protobufFields } from './protobuf.ts'

/** What etcd answers if users changed after it had accepted the request. */
const USERS_HAVE_CHANGED = 'revision of auth store is old'

const MAX_ATTEMPTS = 20

/**
 * Calls a procedure that answers with one message, over gRPC; again if users changed meanwhile, as etcd's own client does.
 * @throws {VplaneError} as `callEtcd` does.
 */
export async function askOnce(
  connection: EtcdConnection,
  request: { body: Buffer; path: string; signal: AbortSignal },
): Promise<ProtobufFields> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const [answer] = await Array.fromAsync(callEtcd(connection, request))
      return fieldsOf(answer, `${connection.what} returned an invalid answer to ${request.path}`)
    } catch (error) {
      const isChange = error instanceof VplaneError && error.message.endsWith(USERS_HAVE_CHANGED)
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
