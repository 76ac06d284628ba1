import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CommandOptions } from './cli.ts'

/** Someone at an editor, as the variables of a command. */
export interface ScriptedEditor extends CommandOptions {
  /** What was in the file when it was opened for the first time, the second, and so on. */
  seen(turn: number): string
}

/**
 * An editor that leaves one text after the other in the file that it is given.
 *
 * @param folder where it keeps what it has seen
 * @param texts one for each time that it is opened; undefined leaves the file as it is
 */
export function scriptedEditor(
  folder: string,
  texts: ReadonlyArray<string | undefined>,
): ScriptedEditor {
  const root = mkdtempSync(join(folder, 'editor-'))
  texts.forEach((text, index) => {
    if (text !== undefined) {
      writeFileSync(join(root, `text-${index + 1}`), text)
    }
  })
  const script = join(root, 'editor')
  const lines = [
    '#!/bin/sh',
    `cd '${root}'`,
    'echo >> turns',
    'turn=$(wc -l < turns | tr -d " ")',
    'cp "$1" "seen-$turn"',
    'if [ -e "text-$turn" ]; then cp "text-$turn" "$1"; fi',
  ]
  writeFileSync(script, `${lines.join('\n')}\n`, { mode: 0o700 })
  return {
    env: { EDITOR: script, VISUAL: undefined },
    seen: (turn) => readFileSync(join(root, `seen-${turn}`), 'utf8'),
  }
}
