import { resolve } from 'node:path'
import type { PlaneReference } from '../../control-plane/plane/plane.ts'
import { shellWord } from '../../shared/text/shell-word.ts'
import { planeWords } from '../catalog/hint-text.ts'

export interface ConnectOutcome {
  plane: PlaneReference
  context: string
  /** The kubeconfig that has the context now. */
  file: string
  /** The file that was asked for. @default the user's kubeconfig */
  otherFile?: string | undefined
  isCurrent: boolean
}

/** What `connect` prints for people. */
export function connectedLines(outcome: ConnectOutcome, bin: string): string[] {
  const { context, file, isCurrent, otherFile, plane } = outcome
  const words = isCurrent ? '' : ` ${planeWords(plane)}`
  const place = otherFile === undefined ? '' : ` --kubeconfig-file ${shellWord(resolve(otherFile))}`
  return [
    isCurrent
      ? `The current context of ${file} is "${context}".`
      : `Added the context "${context}" to ${file}: kubectl --context ${shellWord(context)}`,
    `Go back with: ${bin} disconnect${words}${place}`,
  ]
}
