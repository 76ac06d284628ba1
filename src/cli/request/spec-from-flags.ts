import { readFile } from 'node:fs/promises'
import { text } from 'node:stream/consumers'
import {
  DEFAULT_KUBERNETES_VERSION,
  parseKubernetesVersion,
} from '../../control-plane/spec/kubernetes-version.ts'
import type { UserSpec } from '../../control-plane/spec/spec.ts'
import type { NamedSpec, SpecDocument } from './spec-documents.ts'
import { reasonOf, VplaneError } from '../../shared/errors.ts'
import { type GivenHostFlags, hostFieldPairs } from '../flags/host-flags.ts'

/** The spec of a new plane. */
export type NewSpec = NamedSpec & { name: string }

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
 * The user's spec of a plane that is named elsewhere.
 *
 * @throws {VplaneError} `USAGE` when the file cannot be read, is for another plane, or the version is unknown,
 * `INVALID_SPEC` when the spec is wrong.
 */
export async function specFromFlags(
  flags: SpecFlags,
  given: ReadonlySet<string>,
  name?: string,
): Promise<UserSpec> {
  const parse = await specParser(flags, given)
  if (flags.file === undefined) {
    return parse()
  }
  const { readSpecDocument } = await import('./spec-documents.ts')
  const document = readSpecDocument(await readSpec(flags.file))
  chooseName(name, document)
  return parse(document)
}

/**
 * The user's specs of new planes. Each document of a file is for one plane.
 *
 * @throws {VplaneError} as `specFromFlags`, with the problems of all documents, and `USAGE` when several are for the plane
 * of one name.
 */
export async function specsFromFlags(
  flags: SpecFlags,
  given: ReadonlySet<string>,
  name: string | undefined,
): Promise<NewSpec[]> {
  const parse = await specParser(flags, given)
  if (flags.file === undefined) {
    return [{ name: required(name), userSpec: parse() }]
  }
  const { readSpecs } = await import('./spec-documents.ts')
  const source = await readSpec(flags.file)
  const specs = readSpecs(source, parse)
  if (specs.length > 1 && name !== undefined) {
    const message = `${source.path} has ${specs.length} documents, each with the name of its plane`
    throw new VplaneError('USAGE', message, { hints: [`leave out "${name}"`] })
  }
  return specs.map(({ name: own, ...spec }) => {
    return { ...spec, name: required(chooseName(name, { name: own, path: source.path })) }
  })
}

function required(name: string | undefined): string {
  if (name === undefined) {
    throw new VplaneError('USAGE', 'NAME is missing', {
      hints: ['vplane create NAME', 'vplane create -f SPEC, with "name" in the file'],
    })
  }
  return name
}

/** The name of a plane: the given one, or that of its spec file. @throws {VplaneError} `USAGE` when they differ. */
export function chooseName(
  given: string | undefined,
  { name, path }: { name?: string | undefined; path: string },
): string | undefined {
  if (given !== undefined && name !== undefined && given !== name) {
    const message = `${path} is the spec of "${name}", not of "${given}"`
    throw new VplaneError('USAGE', message, { hints: [`leave out "${given}"`] })
  }
  return given ?? name
}

/** The schema, which takes as long to load as all else, is loaded only to validate a file or fields. */
async function specParser(
  { ephemeral, file, idle, label = [], renew, set: fields = [], version, ...host }: SpecFlags,
  given: ReadonlySet<string>,
): Promise<(document?: SpecDocument) => UserSpec> {
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
  const { parseSpec } =
    file !== undefined || set.length > 0
      ? await import('../../control-plane/spec/parse-spec.ts')
      : { parseSpec: () => flags }
  return (document) => {
    const spec = parseSpec({ ...(document === undefined ? {} : { file: document }), set, flags })
    // A version from variables or config.yaml is a default, which the spec overrides; the built-in one is left out.
    parseKubernetesVersion(spec.version ?? version)
    return isVersionDefault && version !== DEFAULT_KUBERNETES_VERSION && spec.version === undefined
      ? { ...spec, version }
      : spec
  }
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
