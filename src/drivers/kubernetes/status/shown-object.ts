import { isRecord } from '../../../shared/json-fields.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/** Longer values, such as the syncer's code, are named and left out. */
const MAX_LENGTH = 20_000

/** All of an object once more, whoever applied it with kubectl: of a Secret with what it holds. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration'

/** Variables whose values somebody, or a webhook of the host, wrote where they can be read. */
const TELLING = /token|secret|passw|credential|key/i

/**
 * An object without secrets, without what only its managers care about, and without what is very long. Of a Secret the
 * names of what it holds stay, and annotations of vplane alone, as others may repeat it there. Pure.
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

/** A field with named values, of which some are named alone. */
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

/** Values of variables of containers are left out, wherever they are, when their names say that they are secret. */
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
