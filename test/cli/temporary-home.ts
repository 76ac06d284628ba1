import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { beforeEach, vi } from 'vitest'
import { SETTING_KEYS, variableOf } from '../../src/cli/settings/setting-keys.ts'
import type { Environment } from '../../src/shared/environment.ts'

/** A folder for everything of vplane, gone when it is disposed. */
export interface TemporaryHome extends Disposable {
  root: string
  /** Variables that make vplane live here. */
  environment: Environment
  /** Writes a file at a path below the root and returns its whole path. */
  write(path: string, text: string): string
}

export function temporaryHome(): TemporaryHome {
  const root = mkdtempSync(join(tmpdir(), 'vplane-cli-'))
  return {
    root,
    environment: { VPLANE_HOME: root },
    write: (path, text) => {
      const file = join(root, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
      return file
    },
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  }
}

/** A home for each test of a file, in which this process lives too, without any setting of the machine. */
export function homeForEachTest(): Omit<TemporaryHome, typeof Symbol.dispose> {
  let home: TemporaryHome
  beforeEach(() => {
    home = temporaryHome()
    SETTING_KEYS.forEach((key) => vi.stubEnv(variableOf(key), undefined))
    vi.stubEnv('VPLANE_HOME', home.root)
    vi.stubEnv('KUBECONFIG', join(home.root, 'kubeconfig'))
    return () => home[Symbol.dispose]()
  })
  return {
    get root() {
      return home.root
    },
    get environment() {
      return home.environment
    },
    write: (path, text) => home.write(path, text),
  }
}
