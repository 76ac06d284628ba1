import { Flags } from '@oclif/core'
import { binDirFlag, driverFlag, timeoutFlag, versionFlag } from './flags.ts'
import { hostFlags } from './host-flags.ts'

/** The flags that say what a plane is. */
export const specFlags = {
  version: versionFlag(),
  file: Flags.file({
    char: 'f',
    summary: 'Spec of the plane, YAML or JSON; "-" reads it from stdin.',
    helpValue: 'SPEC',
  }),
  set: Flags.string({
    summary: 'Sets one field of the spec.',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'PATH=VALUE',
  }),
}

/** The flags of commands that make a plane. */
export const createFlags = {
  driver: driverFlag(),
  ...specFlags,
  crd: Flags.string({
    summary: 'File or folder with CRDs to install before the plane is ready.',
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'PATH',
  }),
  'bin-dir': binDirFlag(),
  timeout: timeoutFlag(),
  ...hostFlags,
}
