import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { BinaryName, Release } from '../../../../src/drivers/local/binaries/cache/binary.ts'
import { binaryPath } from '../../../../src/drivers/local/binaries/cache/cache-layout.ts'
import { recordPath } from '../../../../src/drivers/local/binaries/cache/install-binary.ts'
import type { Platform } from '../../../../src/drivers/local/binaries/cache/platform.ts'
import type { Environment } from '../../../../src/shared/environment.ts'
import type { Ui } from '../../../../src/shared/ui.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'

const LINUX: Platform = { os: 'linux', arch: 'amd64' }
export const KUBERNETES: Release = { project: 'kubernetes', version: '1.36.3', platform: LINUX }
export const ETCD: Release = { project: 'etcd', version: '3.6.16', platform: LINUX }

/** Servers are on loopback, and answer soon or never. */
export const LIMITS = { connectMs: 500, headersMs: 500, stallMs: 500, retryMs: 10 }

/** A temporary cache folder, and a recording user interface. */
export interface TestContext extends AsyncDisposable {
  paths: { cache: string }
  /** Has an empty PATH, so that no test finds the Go of this machine. */
  environment: Environment
  ui: Ui
  signal: AbortSignal
  platform: Platform
  limits: typeof LIMITS
  /** Messages except progress: `step downloading …`. */
  messages: string[]
  progress: string[]
  abort: AbortController
}

export async function createContext(environment: Environment = {}): Promise<TestContext> {
  const folder = await temporaryFolder()
  const root = folder.path
  const messages: string[] = []
  const progress: string[] = []
  const say = (kind: string) => (text: string) => void messages.push(`${kind} ${text}`)
  const abort = new AbortController()
  return {
    paths: { cache: join(root, 'cache') },
    environment: { PATH: join(root, 'bin'), HOME: root, ...environment },
    ui: {
      step: say('step'),
      print: () => {},
      plan: () => {},
      failStep: () => void messages.push('failed'),
      warn: say('warn'),
      note: say('note'),
      progress: (detail) => void progress.push(detail),
      confirm: () => Promise.resolve(false),
    },
    signal: abort.signal,
    platform: LINUX,
    limits: LIMITS,
    messages,
    progress,
    abort,
    [Symbol.asyncDispose]: folder[Symbol.asyncDispose],
  }
}

/** Adds an executable to the cache. */
export async function cacheBinary(cache: string, release: Release, name: BinaryName) {
  const path = binaryPath(cache, release, name)
  await writeExecutable(path, `#!/bin/sh\necho ${name}\n`)
  return path
}

/** Reads the record of a binary. */
export async function readRecord(path: string): Promise<unknown> {
  return JSON.parse(await readFile(recordPath(path), 'utf8'))
}

export async function writeExecutable(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, text)
  await chmod(path, 0o755)
}
