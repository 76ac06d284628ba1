import { resolve } from 'node:path'
import { KINE_VERSION } from '../../../control-plane/store/kine-version.ts'
import type { Environment } from '../../../shared/environment.ts'
import { VplaneError } from '../../../shared/errors.ts'
import {
  type BinaryName,
  checkedVersion,
  type Project,
  PROJECTS,
  projectOf,
  type Release,
} from './cache/binary.ts'
import { binaryPath } from './cache/cache-layout.ts'
import type { DownloadContext } from './download/download-release.ts'
import { isExecutable } from './cache/is-executable.ts'
import { type Platform, platformOf } from './cache/platform.ts'

export interface BinariesRequest<Name extends BinaryName> {
  /** Without a `v`: `1.36.3`. */
  kubernetesVersion: string
  etcdVersion: string
  /** Only for kine. */
  kineVersion?: string
  names: readonly Name[]
  /** Others to get with them: if they are missing, the request still succeeds. @default none */
  also?: readonly BinaryName[]
  /** A folder that holds all of them. Then no other source is used. */
  binDir?: string
  /** Whether the user can choose `binDir`, for the hints of errors. @default false */
  canChooseFolder?: boolean
}

export interface BinariesContext extends DownloadContext {
  /** @default the platform of this machine */
  platform?: Platform
  /** Reads the variables, with the user's settings, when a binary is missing. @default `environment` */
  readEnvironment?: (() => Promise<Environment>) | undefined
}

/**
 * Ensures that binaries are on this machine, and returns their paths. It takes them from `binDir`, else from the cache,
 * else from their official downloads, else from a build with the installed Go. Of several processes, one gets them, and
 * the others wait.
 *
 * @throws {VplaneError} `FAILED` when `binDir` lacks one of them, or when neither download nor build succeeds, `USAGE`
 * when a version is invalid, `UNSUPPORTED` on platforms without binaries, `ABORTED` when the signal fires.
 */
export async function ensureBinaries<Name extends BinaryName>(
  request: BinariesRequest<Name>,
  context: BinariesContext,
): Promise<Record<Name, string>> {
  const { also = [], binDir, canChooseFolder = false, names } = request
  if (binDir !== undefined) {
    return fromFolder(resolve(binDir), names, canChooseFolder)
  }
  const platform = context.platform ?? platformOf()
  const releases: Record<Project, Release> = {
    kubernetes: { project: 'kubernetes', version: request.kubernetesVersion, platform },
    etcd: { project: 'etcd', version: request.etcdVersion, platform },
    kine: { project: 'kine', version: request.kineVersion ?? KINE_VERSION, platform },
  }
  const pathOf = (name: BinaryName) =>
    binaryPath(context.paths.cache, releases[projectOf(name)], name)
  for (const project of PROJECTS) {
    const release = releases[project]
    checkedVersion(release.version)
    const isMissing = (name: BinaryName) =>
      projectOf(name) === project && !isExecutable(pathOf(name))
    const wanted = { names: names.filter(isMissing), also: also.filter(isMissing) }
    if (wanted.names.length + wanted.also.length > 0) {
      // Loaded only here: with all binaries in the cache, the code that downloads and builds is not needed.
      const { obtainRelease } = await import('./obtain-release.ts')
      const beside = request.kubernetesVersion
      const environment = (await context.readEnvironment?.()) ?? context.environment
      await obtainRelease(
        release,
        { ...wanted, beside, canChooseFolder },
        { ...context, environment },
      )
    }
  }
  return pathsByName(names, pathOf)
}

function fromFolder<Name extends BinaryName>(
  folder: string,
  names: readonly Name[],
  canChooseFolder: boolean,
): Record<Name, string> {
  const missing = names.filter((name) => !isExecutable(resolve(folder, name)))
  if (missing.length > 0) {
    throw new VplaneError('FAILED', `"${folder}" has no executable ${missing.join(', ')}`, {
      hints: [
        `ls -l ${folder}`,
        canChooseFolder
          ? { purpose: 'to download or build them', binDir: false }
          : `copy ${missing.join(', ')} to ${folder}`,
      ],
    })
  }
  return pathsByName(names, (name) => resolve(folder, name))
}

function pathsByName<Name extends BinaryName>(
  names: readonly Name[],
  pathOf: (name: Name) => string,
): Record<Name, string>
// Object.fromEntries loses the type of the keys, which the overload above declares.
function pathsByName(names: readonly BinaryName[], pathOf: (name: BinaryName) => string) {
  return Object.fromEntries(names.map((name) => [name, pathOf(name)]))
}
