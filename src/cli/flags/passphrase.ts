import { readFile } from 'node:fs/promises'
import { Flags } from '@oclif/core'
import type { Environment } from '../../shared/environment.ts'
import { messageOf, VplaneError } from '../../shared/errors.ts'
import type { TerminalUi } from '../terminal/terminal-ui.ts'

const VARIABLE = 'VPLANE_PASSPHRASE'
const FLAG = '--passphrase-file FILE'

/** `--passphrase-file`: what a bundle is encrypted with. */
export const passphraseFlag = () =>
  Flags.string({
    summary: "File with the bundle's passphrase; or set VPLANE_PASSPHRASE.",
    helpValue: 'FILE',
  })

interface PassphraseFlags {
  'passphrase-file'?: string | undefined
}

/** @throws {VplaneError} `USAGE` when it is empty, its file cannot be read, or vplane cannot ask. */
export async function knownPassphrase(
  ui: Pick<TerminalUi, 'secret'>,
  flags: PassphraseFlags,
  environment: Environment,
): Promise<string> {
  return checked(
    (await given(flags, environment)) ?? (await ui.secret('Passphrase?', { flag: FLAG })),
  )
}

/** A person types it twice. @throws {VplaneError} `USAGE` also when these two differ. */
export async function newPassphrase(
  ui: Pick<TerminalUi, 'secret'>,
  flags: PassphraseFlags,
  environment: Environment,
): Promise<string> {
  const passphrase = await given(flags, environment)
  if (passphrase !== undefined) {
    return checked(passphrase)
  }
  const first = checked(await ui.secret('Passphrase for the bundle?', { flag: FLAG }))
  if ((await ui.secret('Repeat the passphrase:', { flag: FLAG })) !== first) {
    throw new VplaneError('USAGE', 'the passphrases do not match')
  }
  return first
}

async function given(
  { 'passphrase-file': file }: PassphraseFlags,
  environment: Environment,
): Promise<string | undefined> {
  if (file === undefined) {
    return environment[VARIABLE]
  }
  try {
    // An editor or echo adds a line break at the end.
    return (await readFile(file, 'utf8')).replace(/\r?\n$/, '')
  } catch (error) {
    throw new VplaneError('USAGE', `cannot read the passphrase: ${messageOf(error)}`, {
      cause: error,
    })
  }
}

function checked(passphrase: string): string {
  if (passphrase === '') {
    throw new VplaneError('USAGE', 'the passphrase is empty', { hints: [FLAG] })
  }
  return passphrase
}
