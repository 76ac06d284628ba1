#!/usr/bin/env node
// Old syntax on purpose: this file must run on any Node to say that the Node is too old.
var version = process.versions.node.split('.')
var major = Number(version[0])
var minor = Number(version[1])

if (major >= 26 || (major === 24 && minor >= 15)) {
  // As CommonJS: loading ES modules takes longer than all the rest of a short command.
  var load = process.getBuiltinModule('node:module').createRequire(import.meta.url)
  void load('../dist/cli/run.cjs').run(process.argv.slice(2))
} else {
  process.stderr.write(
    'error: vplane needs Node.js 24.15 or a later 24.x, or 26 and newer; this is ' +
      process.versions.node +
      ' (' +
      process.execPath +
      ')\n' +
      'hint: nvm install 24\n' +
      'hint: https://nodejs.org/en/download\n',
  )
  // As docs/exit-codes.md has it: 125 where other codes are those of the user's command.
  var words = process.argv.slice(2)
  process.exit(words[0] === 'run' || words.indexOf('--') !== -1 ? 125 : 2)
}
