import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import {
  DEFAULT_KUBERNETES_VERSION,
  parseKubernetesVersion,
} from '../../control-plane/spec/kubernetes-version.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'

export interface SpecFlags {
  /** Kubernetes version; the built-in default is not part of what the user said. */
  version: string
  isVersionDefault: boolean
  ephemeral?: boolean | undefined
  file?: string | undefined
  set?: readonly string[] | undefined
  /** What other flags set, as pairs of `--set`; they win over those. */
  pairs?: readonly string[] | undefined
}

/**
 * The user's spec out of the flags of a command.
 *
 * @throws {VplaneError} `USAGE` when the file cannot be read or the version is unknown, `INVALID_SPEC` when the spec is
 * wrong.
 */
export async function specFromFlags({
  ephemeral,
  file,
  isVersionDefault,
  pairs = [],
  set: own = [],
  version,
}: SpecFlags): Promise<UserSpec> {
  const flags = {
    ...(ephemeral === true ? { ephemeral } : {}),
    ...(isVersionDefault ? {} : { version }),
  }
  const set = [...own, ...pairs]
  const spec = file === undefined && set.length === 0 ? flags : await parse({ file, set, flags })
  // A version from variables or config.yaml is a default that the spec wins over; the built-in one is not even said.
  parseKubernetesVersion(spec.version ?? version)
  return isVersionDefault && version !== DEFAULT_KUBERNETES_VERSION && spec.version === undefined
    ? { ...spec, version }
    : spec
}

/** Loads the schema only when there is something that it has to judge: it takes as long as all the rest. */
async function parse({
  file,
  flags,
  set,
}: {
  file: string | undefined
  flags: UserSpec
  set: readonly string[]
}): Promise<UserSpec> {
  const { parseSpec } = await import('../../control-plane/spec/parse-spec.ts')
  return parseSpec({ ...(file === undefined ? {} : { file: await readSpec(file) }), set, flags })
}

/**
 * The text of a spec file; `-` is stdin.
 *
 * @throws {VplaneError} `USAGE` when it cannot be read.
 */
export async function readSpec(path: string): Promise<{ path: string; text: string }> {
  try {
    return path === '-'
      ? { path: 'stdin', text: await text(process.stdin) }
      : { path, text: await readFile(path, 'utf8') }
  } catch (error) {
    throw new VplaneError('USAGE', `cannot read the spec "${path}": ${messageOf(error)}`, {
      cause: error,
    })
  }
}
