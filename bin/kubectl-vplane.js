#!/usr/bin/env node
// What `kubectl vplane` starts. The name this was started by tells vplane how to call itself in help.
void import('./vplane.js')
