import fastify from 'fastify';

const body = process.argv[2]!;
const app = fastify();
app.get('/12/accounts/:account_id/campaigns/:campaign_id', (_request, reply) => {
  reply.header('content-type', 'application/json;charset=utf-8').send(body);
});
process.send!(await app.listen({ host: '127.0.0.1', port: 0 }));
process.on('message', () => process.exit(0));
