import { isRecord } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Longer values, such as the code of the syncer, are left out. */
const MAX_LENGTH = 20_000

/** kubectl repeats the object in this annotation: of a Secret with its content. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Names of variables whose values may be secret. */
const TELLING = /token|secret|passw|credential|key/i

/**
 * Leaves out secrets, managed fields and very long values. Of a Secret it keeps the keys, and only the annotations of
 * vplane, because others may repeat its content.
 */
export function shownObject({
  binaryData,
  data,
  metadata,
  stringData,
  ...object
}: KubeObject): Record<string, unknown> {
  const { annotations, managedFields: _, ...rest } = metadata
  const isSecret = object['kind'] === 'Secret'
  const isSecretOrLong = (value: unknown) => isSecret || String(value).length > MAX_LENGTH
  const isForeign = (_value: unknown, name: string) =>
    name === LAST_APPLIED || (isSecret && !name.startsWith('vplane.dev/'))
  const shown = {
    ...object,
    metadata: { ...rest, ...values('annotations', annotations, isForeign) },
    ...values('data', data, isSecretOrLong),
    ...values('stringData', stringData, isSecretOrLong),
    ...values('binaryData', binaryData, () => true),
  }
  return Object.fromEntries(
    Object.entries(shown).map(([field, value]) => [field, withoutVariables(value)]),
  )
}

function values(
  field: string,
  held: unknown,
  isLeftOut: (value: unknown, name: string) => boolean,
): object {
  if (!isRecord(held)) {
    return {}
  }
  const entries = Object.entries(held).map(([name, value]) => [
    name,
    isLeftOut(value, name) ? leftOut(value) : value,
  ])
  return { [field]: Object.fromEntries(entries) }
}

/** Names of environment variables may indicate a secret. */
function withoutVariables(value: unknown, isVariable = false): unknown {
  if (Array.isArray(value)) {
    return value.map((one) => withoutVariables(one, isVariable))
  }
  if (!isRecord(value)) {
    return value
  }
  return Object.fromEntries(
    Object.entries(value).map(([field, held]) => [
      field,
      isVariable && field === 'value' && TELLING.test(String(value['name']))
        ? leftOut(held)
        : withoutVariables(held, field === 'env'),
    ]),
  )
}

function leftOut(value: unknown): string {
  return `(${String(value).length} characters, left out)`
}
