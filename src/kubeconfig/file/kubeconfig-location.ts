import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import type { Environment } from '../../shared/environment.ts'
import { VplaneError } from '../../shared/errors.ts'

/** The files that make up the user's kubeconfig; if two of them disagree, the first one applies. */
export interface KubeconfigLocation {
  /** Absolute paths, of files that need not exist. */
  files: readonly string[]
}

/** As kubectl does: the file of `--kubeconfig`, else the list in `KUBECONFIG`, else `~/.kube/config`. */
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
 * The file that receives new entries and the current context.
 *
 * This is the rule of client-go's `PathOptions.GetDefaultFilename`, which `ModifyConfig` (and so `kubectl config`)
 * applies: the only file, the first of several that exists, or the last when none exists. The first file also has
 * precedence when kubectl reads them.
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
