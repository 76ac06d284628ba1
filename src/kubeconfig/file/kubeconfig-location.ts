import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { Environment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'

/** The files that make up the user's kubeconfig; where two of them disagree, the first one wins. */
export interface KubeconfigLocation {
  /** Absolute paths, of files that need not exist. */
  files: readonly string[]
}

/**
 * Finds the kubeconfig as kubectl does: the file of `--kubeconfig`, else the list in `KUBECONFIG`, else
 * `~/.kube/config`.
 */
export function kubeconfigLocation({
  environment,
  flag,
  home = homedir(),
}: {
  environment: Environment
  /** Value of `--kubeconfig`. */
  flag?: string | undefined
  /** @default the home folder of the user */
  home?: string
}): KubeconfigLocation {
  const list = environment['KUBECONFIG'] ?? ''
  if (flag !== undefined && flag !== '') {
    return { files: [resolve(flag)] }
  }
  if (list === '') {
    return { files: [join(home, '.kube', 'config')] }
  }
  const files = list.split(delimiter).filter((file) => file !== '')
  return { files: [...new Set(files.map((file) => resolve(file)))] }
}

/**
 * The file that gets new entries and the current context.
 *
 * This is the rule of client-go's `PathOptions.GetDefaultFilename`, by which `ModifyConfig` (and so `kubectl config`)
 * chooses: a single file is the one, of several the first that exists, and the last when none does. Since the first
 * file wins when they are read, what is written there is what kubectl sees.
 *
 * @throws {VplaneError} `USAGE` when `KUBECONFIG` names no file.
 */
export async function fileToEdit({ files }: KubeconfigLocation): Promise<string> {
  for (const file of files) {
    if (files.length === 1 || existsSync(file)) {
      return file
    }
  }
  const last = files.at(-1)
  if (last === undefined) {
    throw new VplaneError('USAGE', 'KUBECONFIG is set and names no file', {
      hints: ['unset KUBECONFIG', 'export KUBECONFIG=FILE'],
    })
  }
  return last
}
