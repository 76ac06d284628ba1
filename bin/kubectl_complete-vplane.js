#!/usr/bin/env node
// What kubectl starts to complete the words after `kubectl vplane`.
process.argv.splice(2, 0, '__complete', '--')
void import('./vplane.js')
