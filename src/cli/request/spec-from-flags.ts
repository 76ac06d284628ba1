import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import {
  DEFAULT_KUBERNETES_VERSION,
  parseKubernetesVersion,
} from '../../control-plane/spec/kubernetes-version.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { reasonOf, VplaneError } from '../../shared/errors.ts'
import { type GivenHostFlags, hostFieldPairs } from '../flags/host-flags.ts'

export interface SpecFlags extends GivenHostFlags {
  /** Kubernetes version; the built-in default is not part of the user's spec. */
  version: string
  ephemeral?: boolean | undefined
  idle?: string | undefined
  renew?: boolean | undefined
  /** Labels as `NAME=VALUE`. */
  label?: readonly string[] | undefined
  file?: string | undefined
  /** Fields as `PATH=VALUE`; those that other flags set win over them. */
  set?: readonly string[] | undefined
}

/**
 * The user's spec. The schema, which takes as long to load as all else, is loaded only to validate a file or fields.
 *
 * @throws {VplaneError} `USAGE` when the file cannot be read or the version is unknown, `INVALID_SPEC` when the spec is
 *   wrong.
 */
export async function specFromFlags(
  { ephemeral, file, idle, label = [], renew, set: fields = [], version, ...host }: SpecFlags,
  given: ReadonlySet<string>,
): Promise<UserSpec> {
  const isVersionDefault = !given.has('version')
  const flags = {
    ...(ephemeral === true ? { ephemeral } : {}),
    ...(isVersionDefault ? {} : { version }),
  }
  const set = [
    ...fields,
    ...hostFieldPairs(host),
    ...label.map((one) => `labels.${one}`),
    ...(idle === undefined ? [] : [`idle=${idle}`]),
    ...(renew === true ? ['renew=true'] : []),
  ]
  let spec: UserSpec = flags
  if (file !== undefined || set.length > 0) {
    const { parseSpec } = await import('../../control-plane/spec/parse-spec.ts')
    spec = parseSpec({ ...(file === undefined ? {} : { file: await readSpec(file) }), set, flags })
  }
  // A version from variables or config.yaml is a default, which the spec overrides; the built-in one is left out.
  parseKubernetesVersion(spec.version ?? version)
  return isVersionDefault && version !== DEFAULT_KUBERNETES_VERSION && spec.version === undefined
    ? { ...spec, version }
    : spec
}

/** The text of a spec file; `-` is stdin. @throws {VplaneError} `USAGE` when it cannot be read. */
export async function readSpec(path: string): Promise<{ path: string; text: string }> {
  try {
    return path === '-'
      ? { path: 'stdin', text: await text(process.stdin) }
      : { path, text: await readFile(path, 'utf8') }
  } catch (error) {
    throw new VplaneError('USAGE', `cannot read the spec "${path}": ${reasonOf(error)}`, {
      cause: error,
    })
  }
}
