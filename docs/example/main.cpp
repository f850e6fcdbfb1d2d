// A program outside heed's tree. The API to come is shown here; for now it says which heed it was linked with.
#include <heed.h>

#include <cstdio>

int main() { std::printf("hello from heed %s\n", heed::version()); }
