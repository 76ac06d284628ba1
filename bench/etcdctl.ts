import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { buildPrograms } from '../src/drivers/local/binaries/build/build-programs.ts'
import { formatPlatform, platformOf } from '../src/drivers/local/binaries/cache/platform.ts'
import { processEnvironment } from '../src/shared/environment.ts'
import { pathsOf } from '../src/shared/paths.ts'
import { silentUi } from '../src/shared/ui.ts'

const MODULE = 'go.etcd.io/etcd/etcdctl/v3'
const MIB = 1024 ** 2

/**
 * The path of an etcdctl; the first time it is built with the installed Go, beside vplane's binaries in the user's cache.
 *
 * @param version of etcd, without a `v`: `3.6.16`.
 */
export async function ensureEtcdctl(
  version: string,
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<string> {
  const environment = processEnvironment()
  const paths = pathsOf(environment)
  const platform = platformOf()
  const folder = join(paths.cache, 'bench/etcdctl', version, formatPlatform(platform))
  const program = join(folder, 'etcdctl')
  if (!existsSync(program)) {
    const wanted = {
      title: `etcdctl ${version}`,
      module: MODULE,
      version,
      platform,
      packages: { etcdctl: MODULE },
      goMod: () => `module vplane.dev/build\n\ngo 1.24\n\nrequire ${MODULE} v${version}\n`,
      linkerFlags: '-s -w',
      space: { cold: 512 * MIB, warm: 256 * MIB },
      folder,
      again: 'npm run bench -- --only snapshot',
    }
    const ui = { ...silentUi, step: say, warn: say }
    await buildPrograms(wanted, { paths, environment, ui, signal, isOffline: false })
  }
  return program
}
