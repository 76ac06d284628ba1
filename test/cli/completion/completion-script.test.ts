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
] as const)(
  'the script for %s is read by its shell without complaint',
  ([shell, args], { skip }) => {
    skip(!has(shell), `${shell} is not installed`)
    using home = temporaryHome()
    const file = home.write('script', completionScript(shell))

    expect(spawnSync(shell, [...args, file], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  },
)

/** A `vplane` that gives this answer and writes down how it was asked. */
function fakeVplane(home: TemporaryHome, answer: string): string {
  const file = home.write(
    'bin/vplane',
    `#!/bin/sh\nprintf '<%s>' "$@" > '${home.root}/asked'\nprintf -- '${answer}'\n`,
  )
  chmodSync(file, 0o755)
  return join(home.root, 'bin')
}

interface BashAnswer {
  replies: string[]
  asked: string
}

/** What bash would offer when its words are these and the cursor is in the last one. */
function completeInBash(words: readonly string[], answer: string): BashAnswer {
  using home = temporaryHome()
  const folder = fakeVplane(home, answer)
  home.write('script', completionScript('bash'))
  const run = `source '${home.root}/script'; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _vplane; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = spawnSync('bash', ['--noprofile', '--norc', '-c', run, 'bash', ...words], {
    encoding: 'utf8',
    env: { PATH: [folder, process.env['PATH']].join(delimiter) },
  })
  const asked = readFileSync(join(home.root, 'asked'), 'utf8')
  return { replies: stdout.split('\n').filter((line) => line !== ''), asked }
}

test.for([
  [['vplane', ''], '<__complete><--word=><-->'],
  [['vplane', 'cr'], '<__complete><--word=cr><-->'],
  [['vplane', 'create', 'a b', '--'], '<__complete><--word=--><--><create><a b>'],
  // bash cuts at "=" and ":".
  [['vplane', 'create', '--driver', '='], '<__complete><--word=--driver=><--><create>'],
  [['vplane', 'create', '--driver', '=', 'lo'], '<__complete><--word=--driver=lo><--><create>'],
  [
    ['vplane', 'create', '--driver', '=', 'local', ''],
    '<__complete><--word=><--><create><--driver=local>',
  ],
  [
    ['vplane', 'connect', '--context', 'arn', ':', 'aws', ':', 'x'],
    '<__complete><--word=arn:aws:x><--><connect><--context>',
  ],
] as const)('bash asks for %j', ([words, asked], { skip }) => {
  skip(!has('bash'), 'bash is not installed')

  expect(completeInBash(words, ':4\\n').asked).toBe(asked)
})

test.for([
  [['vplane', 'c'], 'create\\tMakes one.\\nconnect\\tConnects.\\n:4\\n', ['create', 'connect']],
  [['vplane', 'x'], ':4\\n', []],
  [['vplane', 'create', '--driver', '=', 'l'], '--driver=local\\n:4\\n', ['local']],
  [
    ['vplane', 'create', '--driver', '='],
    '--driver=kubernetes\\n--driver=local\\n:4\\n',
    ['kubernetes', 'local'],
  ],
  [['vplane', 'connect', '--context', 'arn', ':', 'a'], 'arn:aws:x\\n:4\\n', ['aws:x']],
  [['vplane', 'set', 'dev', 'api'], 'apiServer.\\tIt.\\n:6\\n', ['apiServer.']],
  [['vplane', 'set', 'dev', 'apiGroups', '='], 'apiGroups=all\\n:4\\n', ['all']],
  [
    ['vplane', 'connect', '--context', ''],
    'two words\\n$(touch x)\\n:4\\n',
    ['two\\ words', '\\$\\(touch\\ x\\)'],
  ],
] as const)(
  'bash offers for %j what fits behind the cursor',
  ([words, answer, replies], { skip }) => {
    skip(!has('bash'), 'bash is not installed')

    expect(completeInBash(words, answer).replies).toEqual(replies)
  },
)

test('bash lets bash-completion complete the command after --', ({ skip }) => {
  skip(!has('bash'), 'bash is not installed')
  using home = temporaryHome()
  home.write('script', completionScript('bash'))
  const run = [
    '_command_offset() { echo "offset $1"; }',
    `source '${home.root}/script'`,
    'COMP_WORDS=(vplane run -n x -- kubectl ge)',
    'COMP_CWORD=6',
    '_vplane',
  ].join('; ')

  const { stdout } = spawnSync('bash', ['--noprofile', '--norc', '-c', run], { encoding: 'utf8' })

  expect(stdout).toBe('offset 5\n')
})

test('bash completes vplane itself, from the command line on', ({ skip }) => {
  skip(!has('bash'), 'bash is not installed')
  using home = temporaryHome()
  const dev = join(packageRoot(), 'bin/dev.js')
  const file = home.write('bin/vplane', `#!/bin/sh\nexec '${process.execPath}' '${dev}' "$@"\n`)
  chmodSync(file, 0o755)
  home.write('data/planes/my-plane/plane.json', '{}')
  const run =
    'source <(vplane completion bash); COMP_WORDS=(vplane help ver); COMP_CWORD=2; _vplane; echo "${COMPREPLY[@]}"'

  const { stdout } = spawnSync('bash', ['--noprofile', '--norc', '-c', run], {
    encoding: 'utf8',
    env: {
      PATH: [join(home.root, 'bin'), process.env['PATH']].join(delimiter),
      VPLANE_HOME: home.root,
    },
  })

  expect(stdout).toBe('version\n')
})
