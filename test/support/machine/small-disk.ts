import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { hasErrorCode } from '../../../src/shared/errors.ts'

/** Programs of Linux, not of a package. */
const MOUNT = 'mount'
const UNMOUNT = 'umount'

const MIB = 1024 ** 2

/** A file system in memory of its own size. */
export interface SmallDisk extends Disposable {
  path: string
  /** Writes until nothing more fits. */
  fill(): void
  /** Takes away what `fill` wrote. */
  empty(): void
  resize(sizeMib: number): void
  /** Makes it read-only; no process may have a file of it open for writing. */
  setReadOnly(isReadOnly: boolean): void
}

/** Why no disk can be made here; undefined when one can. */
export function whyNoSmallDisk(): string | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) {
    return 'only root on Linux may mount'
  }
  try {
    using _disk = createSmallDisk(1)
    return undefined
  } catch {
    return 'this machine lets nobody mount'
  }
}

export function createSmallDisk(sizeMib: number): SmallDisk {
  const path = mkdtempSync(join(tmpdir(), 'vplane-disk-'))
  mount('-t', 'tmpfs', '-o', `size=${sizeMib}m,mode=0700`, 'vplane-test', path)
  const filler = join(path, 'filler')
  return {
    path,
    fill: () => fill(filler),
    empty: () => rmSync(filler, { force: true }),
    resize: (newSizeMib) => mount('-o', `remount,size=${newSizeMib}m`, path),
    setReadOnly: (isReadOnly) => mount('-o', `remount,${isReadOnly ? 'ro' : 'rw'}`, path),
    [Symbol.dispose]: () => {
      // Lazily, as a process that was just killed may still have it open.
      spawnSync(UNMOUNT, ['--lazy', path])
      rmdirSync(path)
    },
  }
}

function mount(...args: string[]): void {
  const { status, stderr } = spawnSync(MOUNT, args, { encoding: 'utf8' })
  if (status !== 0) {
    throw new Error(`mount ${args.join(' ')}: ${stderr}`)
  }
}

function fill(path: string): void {
  for (let chunk = MIB; chunk >= 1; chunk = chunk / 16) {
    try {
      for (;;) {
        writeFileSync(path, Buffer.alloc(chunk), { flag: 'a' })
      }
    } catch (error) {
      if (!hasErrorCode(error, 'ENOSPC')) {
        throw error
      }
    }
  }
}
