import { execFile } from 'node:child_process'
import { mkdir, symlink } from 'node:fs/promises'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { buildPrograms } from '../../../../../src/drivers/local/binaries/build/build-programs.ts'
import { releaseBuild } from '../../../../../src/drivers/local/binaries/build/go-build.ts'
import {
  binaryPath,
  buildCacheFolder,
} from '../../../../../src/drivers/local/binaries/cache/cache-layout.ts'
import { listBinaries } from '../../../../../src/drivers/local/binaries/list-binaries.ts'
import { platformOf } from '../../../../../src/drivers/local/binaries/cache/platform.ts'
import { processEnvironment } from '../../../../../src/shared/environment.ts'
import { pathsOf } from '../../../../../src/shared/paths.ts'
import { createContext, ETCD } from '../context.ts'

const run = promisify(execFile)

test('builds a binary that runs, with the Go of this machine', async () => {
  await using context = await createContext()
  const { cache } = context.paths
  const environment = processEnvironment()
  const release = { ...ETCD, platform: platformOf() }
  await mkdir(cache, { recursive: true })
  // A build without a cache takes minutes, so the build cache is the user's.
  await mkdir(buildCacheFolder(pathsOf(environment).cache), { recursive: true })
  await symlink(buildCacheFolder(pathsOf(environment).cache), buildCacheFolder(cache))

  const wanted = releaseBuild(release, ['etcdutl'], cache)
  await buildPrograms(wanted, { ...context, environment, isOffline: false })

  const path = binaryPath(cache, release, 'etcdutl')
  const { stdout } = await run(path, ['version'])
  expect(stdout).toContain('etcdutl version: 3.6.16')
  expect(await listBinaries(context.paths)).toMatchObject([{ name: 'etcdutl', source: 'build' }])
})
