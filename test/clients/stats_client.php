<?php
// Reads the file of a job as the PHP SDK for advertising does it: line by line, by its address alone.
$told = json_decode(stream_get_contents(STDIN), true);
$document = implode('', gzfile($told['url']));
echo json_encode(['url' => $told['url'], 'document' => $document]);
