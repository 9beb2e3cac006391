// As an ES module, `node:http` loads all of the HTTP client that comes with Node.js, because some of its names are of that:
// 30 ms and 13 MB at each start.
// @source decision 906
export const { createServer, maxHeaderSize, request, STATUS_CODES } = process.getBuiltinModule('node:http');
