import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import {
  COMPLETION_SHELLS,
  completionScript,
} from '../../../src/cli/completion/completion-script.ts'
import { packageRoot } from '../../../src/shared/package-root.ts'
import { temporaryHome, type TemporaryHome } from '../temporary-home.ts'

const has = (program: string) => spawnSync(program, ['--version']).error === undefined

test.for(COMPLETION_SHELLS)('the script for %s says first how to install it', (shell) => {
  const head = completionScript(shell).split('\n').slice(0, 12).join('\n')

  expect(head).toContain(`vplane completion ${shell}`)
  expect(head).toContain('In every shell:')
})

test.for([
  ['bash', ['-n']],
  ['zsh', ['-n']],
  ['fish', ['--no-execute']],
] as const)('%s reads its script without complaint', ([shell, args], { skip }) => {
  skip(!has(shell), `${shell} is not installed`)
  using home = temporaryHome()
  const file = home.write('script', completionScript(shell))

  const { status, stderr } = spawnSync(shell, [...args, file], { encoding: 'utf8' })

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

/** Runs a script of bash with the completion of vplane, and says what it prints. */
function bash(home: TemporaryHome, script: string, variables: Record<string, string> = {}): string {
  home.write('completion', completionScript('bash'))
  const { stdout } = spawnSync('bash', ['--noprofile', '--norc', '-c', script], {
    cwd: home.root,
    encoding: 'utf8',
    env: { PATH: [join(home.root, 'bin'), process.env['PATH']].join(delimiter), ...variables },
  })
  return stdout
}

function writeVplane(home: TemporaryHome, script: string): void {
  chmodSync(home.write('bin/vplane', `#!/bin/sh\n${script}\n`), 0o755)
}

/** What bash offers behind these words while vplane gives this answer, and how vplane was asked. */
function completeInBash(words: string, answer: string) {
  using home = temporaryHome()
  writeVplane(home, `printf '<%s>' "$@" > asked\nprintf -- '${answer}'`)
  const set = `COMP_WORDS=(vplane ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))`
  const replies = bash(home, `. ./completion; ${set}; _vplane; printf '%s\\n' "\${COMPREPLY[@]}"`)
  return {
    replies: replies.split('\n').filter((line) => line !== ''),
    asked: readFileSync(join(home.root, 'asked'), 'utf8'),
  }
}

test.for([
  ['""', '<__complete><--word=><-->'],
  ['cr', '<__complete><--word=cr><-->'],
  ['create "a b" --', '<__complete><--word=--><--><create><a b>'],
  // bash cuts at "=" and ":".
  ['create --driver =', '<__complete><--word=--driver=><--><create>'],
  ['create --driver = lo', '<__complete><--word=--driver=lo><--><create>'],
  ['create --driver = local ""', '<__complete><--word=><--><create><--driver=local>'],
  ['connect --context arn : aws : x', '<__complete><--word=arn:aws:x><--><connect><--context>'],
] as const)('bash asks for %j', ([words, asked], { skip }) => {
  skip(!has('bash'), 'bash is not installed')

  expect(completeInBash(words, ':4\\n').asked).toBe(asked)
})

test.for([
  ['c', 'create\\tMakes one.\\nconnect\\tConnects.\\n:4\\n', ['create', 'connect']],
  ['x', ':4\\n', []],
  ['create --driver = l', '--driver=local\\n:4\\n', ['local']],
  ['create --driver =', '--driver=kubernetes\\n--driver=local\\n:4\\n', ['kubernetes', 'local']],
  ['connect --context arn : a', 'arn:aws:x\\n:4\\n', ['aws:x']],
  ['set dev api', 'apiServer.\\tIt.\\n:6\\n', ['apiServer.']],
  ['set dev apiGroups =', 'apiGroups=all\\n:4\\n', ['all']],
  ['connect --context ""', 'two words\\n$(touch x)\\n:4\\n', ['two\\ words', '\\$\\(touch\\ x\\)']],
] as const)('bash offers for %j what fits at the cursor', ([words, answer, replies], { skip }) => {
  skip(!has('bash'), 'bash is not installed')

  expect(completeInBash(words, answer).replies).toEqual(replies)
})

test('bash lets bash-completion complete the command after --', ({ skip }) => {
  skip(!has('bash'), 'bash is not installed')
  using home = temporaryHome()
  const script = [
    '_command_offset() { echo "offset $1"; }',
    '. ./completion',
    'COMP_WORDS=(vplane run -n x -- kubectl ge)',
    'COMP_CWORD=6',
    '_vplane',
  ].join('; ')

  expect(bash(home, script)).toBe('offset 5\n')
})

test('bash completes vplane itself, from the command line on', ({ skip }) => {
  skip(!has('bash'), 'bash is not installed')
  using home = temporaryHome()
  const dev = join(packageRoot(), 'bin/dev.js')
  writeVplane(home, `exec '${process.execPath}' '${dev}' "$@"`)
  const script =
    '. <(vplane completion bash); COMP_WORDS=(vplane help ver); COMP_CWORD=2; _vplane; echo "${COMPREPLY[@]}"'

  expect(bash(home, script, { VPLANE_HOME: home.root })).toBe('version\n')
})
