import { VplaneError } from '../../shared/errors.ts'
import type { LogicalKey } from './logical-format.ts'

/** kube-apiserver authenticates such a value with its whole key (k8s.io/apiserver, storage/value/encrypt/aes/aes.go, `gcm`). */
const BOUND_TO_KEY = Buffer.from('k8s:enc:aesgcm:')

/** Where keys are, and where they are to be. */
export interface KeyMove {
  from: string
  to: string
  /** Their snapshot does not name `from`. @default false */
  isGuessed?: boolean
}

/**
 * Keys below one prefix as keys below another one, in the same order.
 * @throws {VplaneError} `FAILED` for a key that is not below the first one, and for a value that can be read only there.
 */
export async function* moveKeys(
  keys: AsyncIterable<LogicalKey>,
  { from, isGuessed = false, to }: KeyMove,
): AsyncGenerator<LogicalKey, void, void> {
  const [former, current] = [Buffer.from(`${from}/`), Buffer.from(`${to}/`)]
  for await (const { key, ...rest } of keys) {
    if (!startsWith(key, former)) {
      const message = `the snapshot has the key "${String(key)}", which is not below ${from}`
      throw new VplaneError('FAILED', message, {
        hints: isGuessed ? ['take a logical snapshot: it names the prefix of its keys'] : [],
      })
    }
    if (from !== to && startsWith(rest.value, BOUND_TO_KEY)) {
      const message = `the snapshot has values that aesgcm encrypts, which can be read only below ${from}`
      throw new VplaneError('FAILED', message, {
        hints: [
          'copy the objects with kubectl instead',
          'planes with "encryption.provider: secretbox" do not have this limit',
        ],
      })
    }
    yield { key: Buffer.concat([current, key.subarray(former.length)]), ...rest }
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  return bytes.subarray(0, start.length).equals(start)
}
